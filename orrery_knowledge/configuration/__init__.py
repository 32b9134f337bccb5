"""Where settings come from, and what is said when one is wrong: file, line, key, example."""

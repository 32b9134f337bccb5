"""The command line, `orrery-knowledge`."""

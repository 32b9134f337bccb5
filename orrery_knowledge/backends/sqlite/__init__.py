"""The embedded default: one SQLite file and a numpy cache."""

"""Schema steps of the SQLite index, applied in order of their number."""

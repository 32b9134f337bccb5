"""Stores and managed search: one folder or file a backend."""

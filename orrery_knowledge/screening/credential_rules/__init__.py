"""Formats, names and places by which credentials are known."""

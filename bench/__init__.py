"""Figures for `make bench`: every engine over the same rows in one run. Never asserted."""

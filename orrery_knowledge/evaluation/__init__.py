"""Does the right section come back? Datasets, metrics and runs."""

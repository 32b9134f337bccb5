"""Forms and check digits of numbers that belong to a person."""

"""How documents are cut: one file a format."""

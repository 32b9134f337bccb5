"""Who computes vectors: one file a provider."""

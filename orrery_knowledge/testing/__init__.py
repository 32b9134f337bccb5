"""Contract classes that every source, backend and embedder must pass, also a third party's."""

"""PostgreSQL 15+ with pgvector 0.8.4+ (AlloyDB too): named SQL behind psycopg's async pool."""

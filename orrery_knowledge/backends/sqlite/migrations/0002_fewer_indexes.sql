-- Both were written in random order at every row, and little is read by them: an identifier leaves
-- by its whole key, and the collection of vectors reads all chunks.
DROP INDEX identifier_chunk;
DROP INDEX chunk_vector;

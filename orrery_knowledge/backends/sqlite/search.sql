-- pointer --
-- The load to read and the generation that caches go by.
SELECT p.active, p.generation, l.fingerprint FROM pointer p LEFT JOIN load l ON l.number = p.active

-- searchable --
-- Narrow rows of every eligible chunk that the active load shows, by id.
SELECT c.id, c.document_id, c.length, d.corpus, d.service
FROM document d JOIN chunk c ON c.document_id = d.id
WHERE d.eligible AND d.added_in <= :load AND (d.removed_in IS NULL OR d.removed_in > :load)
ORDER BY c.id

-- vectors --
-- Vectors of a range of chunks.
SELECT c.id, v.value FROM chunk c
JOIN vector v ON v.key = c.vector_key AND v.fingerprint = :fingerprint
WHERE c.id BETWEEN :first AND :last
ORDER BY c.id

-- frequency --
-- How many searchable chunks hold a word.
SELECT doc FROM vocabulary WHERE term = ?

-- matching --
-- Searchable chunks that match, roughly best first (our own scorer orders them).
SELECT rowid FROM passage WHERE passage MATCH :match
ORDER BY bm25(passage, 3.0, 1.0) LIMIT :limit

-- matching_filtered --
-- The same inside a corpus or service.
SELECT passage.rowid FROM passage
JOIN chunk c ON c.id = passage.rowid JOIN document d ON d.id = c.document_id
WHERE passage MATCH :match
  AND (:corpus IS NULL OR d.corpus = :corpus) AND (:service IS NULL OR d.service = :service)
ORDER BY bm25(passage, 3.0, 1.0) LIMIT :limit

-- identifier_frequency --
-- How many searchable chunks have an identifier.
SELECT count(*) FROM identifier WHERE token = ?

-- identifier_chunks --
-- Searchable chunks that have an identifier.
SELECT chunk_id, whole FROM identifier WHERE token = ? ORDER BY chunk_id LIMIT ?

-- scored --
-- What the lexical scorer reads of a chunk.
SELECT b.id, b.header, b.words, c.length FROM body b JOIN chunk c ON c.id = b.id
WHERE b.id IN (SELECT value FROM json_each(?))

-- fetch --
-- Bodies with provenance, as a load shows them and only while eligible.
SELECT b.*, c.ordinal, c.length, d.corpus, d.source, d.path, d.uri, d.title, d.service, d.digest,
       d.revision, d.commit_id, d.modified_at, d.trust, d.metadata
FROM body b JOIN chunk c ON c.id = b.id JOIN document d ON d.id = c.document_id
WHERE b.id IN (SELECT value FROM json_each(:chunks)) AND d.eligible
  AND d.added_in <= :load AND (d.removed_in IS NULL OR d.removed_in > :load)

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

-- frequencies --
-- How many searchable chunks hold each of some words; none for a word that no chunk holds.
SELECT v.term, v.doc FROM json_each(?) w CROSS JOIN vocabulary v ON v.term = w.value

-- matching --
-- Searchable chunks that match, the best few (our own scorer orders them), as one list.
SELECT group_concat(rowid) FROM (
    SELECT rowid FROM passage WHERE passage MATCH :match
    ORDER BY bm25(passage, 3.0, 1.0) LIMIT :limit)

-- matching_filtered --
-- The same inside a corpus or service.
SELECT group_concat(rowid) FROM (
    SELECT passage.rowid AS rowid FROM passage
    JOIN chunk c ON c.id = passage.rowid JOIN document d ON d.id = c.document_id
    WHERE passage MATCH :match
      AND (:corpus IS NULL OR d.corpus = :corpus) AND (:service IS NULL OR d.service = :service)
    ORDER BY bm25(passage, 3.0, 1.0) LIMIT :limit)

-- identifier_frequencies --
-- How many searchable chunks have each of some identifiers.
SELECT w.value, (SELECT count(*) FROM identifier WHERE token = w.value) FROM json_each(?) w

-- identifier_chunks --
-- Searchable chunks that have an identifier, as one list of twice the id, plus one for a whole one.
SELECT group_concat(2 * chunk_id + whole) FROM (
    SELECT chunk_id, whole FROM identifier WHERE token = ? ORDER BY chunk_id LIMIT ?)

-- scored --
-- What the lexical scorer reads of some chunks, as three lists in one order.
SELECT group_concat(b.id), group_concat(b.header, char(30)), group_concat(b.words, char(30))
FROM json_each(?) w CROSS JOIN body b ON b.id = w.value

-- fetch --
-- Bodies with provenance, as a load shows them and only while eligible.
SELECT b.*, c.ordinal, c.length, d.corpus, d.source, d.path, d.uri, d.title, d.service, d.digest,
       d.revision, d.commit_id, d.modified_at, d.trust, d.metadata
FROM body b JOIN chunk c ON c.id = b.id JOIN document d ON d.id = c.document_id
WHERE b.id IN (SELECT value FROM json_each(:chunks)) AND d.eligible
  AND d.added_in <= :load AND (d.removed_in IS NULL OR d.removed_in > :load)

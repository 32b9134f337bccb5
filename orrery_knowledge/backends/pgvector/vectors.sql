-- fingerprints --
-- The tables that there are.
SELECT id, dimensions, name FROM fingerprint ORDER BY id

-- fingerprint --
-- The tables of one fingerprint.
SELECT id, dimensions FROM fingerprint WHERE name = %(fingerprint)s

-- add_fingerprint --
-- A new set of tables.
INSERT INTO fingerprint (name, dimensions) VALUES (%(fingerprint)s, %(dimensions)s)
ON CONFLICT (name) DO NOTHING RETURNING id

-- create --
-- Vectors by the key of what was embedded, and what an exact search scans: a narrow row with the
-- vector inside it, because a vector that lies elsewhere costs a look-up a row.
CREATE TABLE {cache} (key bytea PRIMARY KEY, value vector({dimensions}) NOT NULL)
    WITH (toast_tuple_target = 8160);
CREATE TABLE {nearest} (
    id bigint PRIMARY KEY,
    document_id bigint NOT NULL,
    added_in integer NOT NULL,
    removed_in integer NOT NULL,
    eligible boolean NOT NULL,
    corpus text COLLATE "C" NOT NULL,
    service text COLLATE "C",
    value halfvec({dimensions}) NOT NULL
);

-- inline --
-- Keep the vector in its row, uncompressed.
ALTER TABLE {nearest} ALTER COLUMN value SET STORAGE PLAIN

-- drop --
-- Forget a fingerprint.
DROP TABLE {cache}, {nearest}

-- drop_fingerprint --
-- Forget that it was there.
DELETE FROM fingerprint WHERE id = %(id)s

-- held --
-- Those of some keys that have a vector.
SELECT key FROM {cache} WHERE key = ANY(%(keys)s)

-- insert --
-- Store a vector once.
INSERT INTO {cache} (key, value) VALUES (%(key)s, %(value)s) ON CONFLICT (key) DO NOTHING

-- copy --
-- Store many at once.
COPY {cache} (key, value) FROM STDIN (FORMAT BINARY)

-- fill --
-- Give some chunks their place in what an exact search scans.
INSERT INTO {nearest}
SELECT p.id, p.document_id, p.added_in, p.removed_in, p.eligible, p.corpus, p.service,
       v.value::halfvec({dimensions})
FROM passage p JOIN {cache} v ON v.key = p.vector_key
WHERE p.id = ANY(%(chunks)s)
ON CONFLICT (id) DO NOTHING

-- unfilled --
-- Chunks of a load that have vectors which an exact search wouldn't scan.
SELECT p.id FROM passage p JOIN {cache} v ON v.key = p.vector_key
LEFT JOIN {nearest} n ON n.id = p.id
WHERE p.added_in <= %(load)s AND p.removed_in > %(load)s AND n.id IS NULL

-- gc --
-- Delete vectors that no chunk needs.
DELETE FROM {cache} v WHERE NOT EXISTS (SELECT 1 FROM passage p WHERE p.vector_key = v.key)

-- unused --
-- Fingerprints that no kept load needs.
SELECT id, dimensions, name FROM fingerprint WHERE name NOT IN (
    SELECT fingerprint FROM load
    WHERE status IN ('active', 'superseded', 'building') AND fingerprint IS NOT NULL)
ORDER BY id

-- pointer --
-- Where the active load is, whether a rollback holds it, and what was applied.
SELECT active, held, generation, decision FROM pointer

-- undo_documents --
-- Delete rows of every load above the pointer.
DELETE FROM document WHERE added_in > (SELECT active FROM pointer)

-- undo_removals --
-- Bring back what loads above the pointer had ended.
UPDATE document SET removed_in = NULL WHERE removed_in > (SELECT active FROM pointer)

-- undo_loads --
-- Mark the loads above the pointer as gone.
UPDATE load SET status = 'abandoned' WHERE number > (SELECT active FROM pointer)

-- insert_load --
-- Start a load; AUTOINCREMENT never gives a number twice.
INSERT INTO load (status, base, fingerprint, created_at, details)
VALUES ('building', (SELECT active FROM pointer), :fingerprint, :created_at, :details)

-- load --
-- One load.
SELECT * FROM load WHERE number = ?

-- loads --
-- Every load, newest first.
SELECT * FROM load ORDER BY number DESC

-- discard_load --
-- Forget a load that wrote nothing.
DELETE FROM load WHERE number = ? AND status = 'building'

-- load_rows --
-- Whether a load added or ended any document.
SELECT EXISTS (SELECT 1 FROM document WHERE added_in = :load OR removed_in = :load)

-- end_replaced --
-- End the versions that a new one replaces; an ineligible version never ends an eligible one.
UPDATE document SET removed_in = :load
WHERE source = :source AND path = :path AND removed_in IS NULL AND added_in < :load
  AND (:eligible OR NOT eligible)
RETURNING chunk_count

-- delete_own --
-- Delete what this very load wrote earlier for a document.
DELETE FROM document WHERE source = :source AND path = :path AND added_in = :load

-- end_removed --
-- End a document that is gone.
UPDATE document SET removed_in = :load
WHERE source = :source AND path = :path AND removed_in IS NULL AND added_in < :load
RETURNING chunk_count

-- insert_document --
-- One document version.
INSERT INTO document (corpus, source, path, uri, title, service, status, digest, revision,
    processing_key, commit_id, modified_at, eligible, trust, metadata, chunk_count, added_in)
VALUES (:corpus, :source, :path, :uri, :title, :service, :status, :digest, :revision,
    :processing_key, :commit_id, :modified_at, :eligible, :trust, :metadata, :chunk_count, :load)

-- insert_chunk --
-- The narrow row of a chunk.
INSERT INTO chunk (document_id, ordinal, length, vector_key) VALUES (?, ?, ?, ?)

-- insert_body --
-- The wide row of a chunk.
INSERT INTO body VALUES (:id, :header, :words, :names, :text, :context, :section, :heading_path,
    :anchor, :part, :parts, :line_start, :line_end)

-- known --
-- Newest visible version of each document of a source with the chunks that are really there, text
-- and vector.
SELECT d.path, d.revision, d.processing_key, d.digest, d.eligible, d.status, d.chunk_count, d.uri,
       d.commit_id, d.modified_at,
       (SELECT count(*) FROM chunk c JOIN body b ON b.id = c.id
        WHERE c.document_id = d.id AND (l.fingerprint IS NULL OR EXISTS (SELECT 1 FROM vector v
            WHERE v.fingerprint = l.fingerprint AND v.key = c.vector_key))) AS complete
FROM document d JOIN pointer p LEFT JOIN load l ON l.number = p.active
WHERE d.source = ? AND d.added_in <= p.active
  AND (d.removed_in IS NULL OR d.removed_in > p.active)
ORDER BY d.path, d.added_in

-- sources --
-- Ids of all sources that the active load shows.
SELECT DISTINCT d.source FROM document d, pointer p
WHERE d.added_in <= p.active AND (d.removed_in IS NULL OR d.removed_in > p.active)
ORDER BY d.source

-- count_visible --
-- Documents and chunks that a load shows.
SELECT count(*) AS documents, coalesce(sum(chunk_count), 0) AS chunks FROM document
WHERE added_in <= :load AND (removed_in IS NULL OR removed_in > :load)

-- bad_chunks --
-- Chunks of a load that are missing, empty or have impossible bounds.
SELECT count(*) FROM document d
WHERE d.added_in = :load AND (
    d.chunk_count = 0
    OR d.chunk_count <> (SELECT count(*) FROM chunk c JOIN body b ON b.id = c.id
        WHERE c.document_id = d.id AND b.text <> '' AND b.line_start >= 1
          AND b.line_end >= b.line_start AND b.part BETWEEN 1 AND b.parts))

-- doubled --
-- Documents of which a load would show two eligible versions.
SELECT count(*) FROM (
    SELECT 1 FROM document
    WHERE added_in <= :load AND (removed_in IS NULL OR removed_in > :load) AND eligible
    GROUP BY source, path HAVING count(*) > 1)

-- new_without_vector --
-- Chunks of a load that have no vector of its fingerprint.
SELECT count(*) FROM document d JOIN chunk c ON c.document_id = d.id
WHERE d.added_in = :load
  AND NOT EXISTS (SELECT 1 FROM vector v
      WHERE v.fingerprint = :fingerprint AND v.key = c.vector_key)

-- without_vector --
-- Chunks that a load would show without a vector of its fingerprint.
SELECT count(*) FROM document d JOIN chunk c ON c.document_id = d.id
WHERE d.added_in <= :load AND (d.removed_in IS NULL OR d.removed_in > :load)
  AND NOT EXISTS (SELECT 1 FROM vector v
      WHERE v.fingerprint = :fingerprint AND v.key = c.vector_key)

-- changed_visibility --
-- Eligible documents that one of two loads shows and the other doesn't.
SELECT id, (added_in <= :new AND (removed_in IS NULL OR removed_in > :new)) AS enters
FROM document
WHERE eligible
  AND (added_in <= :old AND (removed_in IS NULL OR removed_in > :old))
   <> (added_in <= :new AND (removed_in IS NULL OR removed_in > :new))

-- leave_passage --
-- Take a document's chunks out of the full-text table (which breaks if they aren't in it).
INSERT INTO passage (passage, rowid, header, words)
SELECT 'delete', b.id, b.header, b.words FROM chunk c JOIN body b ON b.id = c.id
JOIN passage_docsize s ON s.id = b.id
WHERE c.document_id = ?

-- leave_identifier --
-- Take a document's chunks out of the identifier table.
DELETE FROM identifier WHERE (token, chunk_id) IN (
    SELECT n.key, c.id FROM chunk c JOIN body b ON b.id = c.id, json_each(b.names) n
    WHERE c.document_id = ?)

-- enter_passage --
-- Put the chunks of some documents into the full-text table.
INSERT INTO passage (rowid, header, words)
SELECT b.id, b.header, b.words FROM chunk c JOIN body b ON b.id = c.id
WHERE c.document_id IN (SELECT value FROM json_each(?)) ORDER BY b.id

-- enter_identifier --
-- Put the identifiers of some documents into their table.
INSERT INTO identifier (token, chunk_id, whole)
SELECT n.key, c.id, n.value FROM chunk c JOIN body b ON b.id = c.id, json_each(b.names) n
WHERE c.document_id IN (SELECT value FROM json_each(?)) ORDER BY n.key, c.id

-- passages --
-- How many chunks the full-text table holds.
SELECT count(*) FROM passage_docsize

-- optimise_passage --
-- Merge the pieces that the full-text table was written in.
INSERT INTO passage (passage) VALUES ('optimize')

-- move_pointer --
-- The compare-and-swap of an activation or rollback.
UPDATE pointer SET active = :new, held = :held, generation = generation + 1 WHERE active = :old

-- bump --
-- Tell every cache that what can be found has changed.
UPDATE pointer SET generation = generation + 1

-- release --
-- Let syncs run again.
UPDATE pointer SET held = 0

-- mark_load --
-- Set a load's status.
UPDATE load SET status = :status WHERE number = :load

-- mark_activated --
-- Record an activation and what it shows.
UPDATE load SET status = 'active', activated_at = :now, documents = :documents, chunks = :chunks
WHERE number = :load

-- mark_rolled_back --
-- Loads that a rollback jumped over.
UPDATE load SET status = 'rolled_back'
WHERE number > :to AND number <= :active AND status IN ('active', 'superseded')

-- previous_load --
-- The newest load before the active one that can be gone back to.
SELECT max(number) FROM load WHERE status = 'superseded' AND number < (SELECT active FROM pointer)

-- kept_loads --
-- Activated loads at or below the pointer, newest first.
SELECT number, activated_at FROM load
WHERE status IN ('active', 'superseded') AND number <= (SELECT active FROM pointer)
ORDER BY number DESC

-- gc_chunks --
-- How many chunks no kept load shows.
SELECT coalesce(sum(chunk_count), 0) FROM document WHERE removed_in <= ?

-- gc_documents --
-- Delete what no kept load shows.
DELETE FROM document WHERE removed_in <= ?

-- gc_loads --
-- Say which loads can't be gone back to any more.
UPDATE load SET status = 'collected' WHERE number < ? AND status = 'superseded'

-- gc_vectors --
-- Delete vectors that no chunk and no kept load's fingerprint needs.
DELETE FROM vector WHERE key NOT IN (SELECT vector_key FROM chunk WHERE vector_key IS NOT NULL)
   OR fingerprint NOT IN (SELECT fingerprint FROM load
       WHERE status IN ('active', 'superseded', 'building') AND fingerprint IS NOT NULL)

-- versions_of --
-- Rows of a document and digest, in every load, whose eligibility differs from what is wanted.
SELECT id FROM document
WHERE corpus = :corpus AND source = :source AND path = :path AND digest = :digest
  AND eligible <> :eligible AND (NOT :eligible OR status = 'stable')

-- set_eligible --
-- Change eligibility in place.
UPDATE document SET eligible = :eligible WHERE id = :id

-- is_visible --
-- Whether the active load shows a document version.
SELECT 1 FROM document d, pointer p WHERE d.id = ? AND d.added_in <= p.active
  AND (d.removed_in IS NULL OR d.removed_in > p.active)

-- note_decision --
-- Remember the last ledger decision that was applied.
UPDATE pointer SET decision = max(decision, ?)

-- visible --
-- Eligible documents of the active load.
SELECT d.corpus, d.source, d.path, d.digest FROM document d, pointer p
WHERE d.eligible AND d.added_in <= p.active AND (d.removed_in IS NULL OR d.removed_in > p.active)
ORDER BY d.corpus, d.source, d.path

-- filters --
-- What a search can be narrowed to: corpora and services of what it may find.
SELECT DISTINCT d.corpus, d.service FROM document d, pointer p
WHERE d.eligible AND d.added_in <= p.active AND (d.removed_in IS NULL OR d.removed_in > p.active)

-- describe --
-- Say anew where a revision that the active load shows comes from.
UPDATE document SET uri = :uri, commit_id = :commit, modified_at = :modified_at
WHERE source = :source AND path = :path AND revision = :revision
  AND added_in <= (SELECT active FROM pointer)
  AND (removed_in IS NULL OR removed_in > (SELECT active FROM pointer))

-- has_vector --
-- Whether a vector is stored.
SELECT 1 FROM vector WHERE fingerprint = ? AND key = ?

-- insert_vector --
-- Store a vector once.
INSERT INTO vector (fingerprint, key, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- lost_bodies --
-- Visible documents whose chunks or bodies are not all there.
SELECT d.source, d.path FROM document d, pointer p
WHERE d.added_in <= p.active AND (d.removed_in IS NULL OR d.removed_in > p.active)
  AND d.chunk_count <> (SELECT count(*) FROM chunk c JOIN body b ON b.id = c.id
      WHERE c.document_id = d.id)
ORDER BY d.source, d.path

-- searchable_chunks --
-- Ids of the chunks that the search tables should hold.
SELECT c.id FROM pointer p JOIN document d
  ON d.added_in <= p.active AND (d.removed_in IS NULL OR d.removed_in > p.active) AND d.eligible
JOIN chunk c ON c.document_id = d.id ORDER BY c.id

-- strays --
-- Whether the full-text table holds as many chunks as the active load shows.
SELECT (SELECT count(*) FROM passage_docsize) <> (SELECT count(*) FROM pointer p JOIN document d
    ON d.added_in <= p.active AND (d.removed_in IS NULL OR d.removed_in > p.active) AND d.eligible
    JOIN chunk c ON c.document_id = d.id)

-- passage_chunks --
-- Ids of the chunks that the full-text table holds.
SELECT id FROM passage_docsize ORDER BY id

-- identifier_rows --
-- How many rows the identifier table holds, and should hold.
SELECT (SELECT count(*) FROM identifier) AS held, count(n.key) AS expected
FROM pointer p JOIN document d
  ON d.added_in <= p.active AND (d.removed_in IS NULL OR d.removed_in > p.active) AND d.eligible
JOIN chunk c ON c.document_id = d.id JOIN body b ON b.id = c.id, json_each(b.names) n

-- clear_passage --
-- Empty the full-text table before it is filled again.
INSERT INTO passage (passage) VALUES ('delete-all')

-- clear_identifier --
-- Empty the identifier table before it is filled again.
DELETE FROM identifier

-- searchable_documents --
-- Ids of the documents that the search tables should hold.
SELECT d.id FROM document d, pointer p
WHERE d.added_in <= p.active AND (d.removed_in IS NULL OR d.removed_in > p.active) AND d.eligible

-- outline --
-- What every eligible chunk of the active load is called.
SELECT c.id, c.document_id, d.corpus, d.service, d.path, d.uri, d.title, b.heading_path, b.anchor
FROM pointer p JOIN document d
  ON d.eligible AND d.added_in <= p.active AND (d.removed_in IS NULL OR d.removed_in > p.active)
JOIN chunk c ON c.document_id = d.id JOIN body b ON b.id = c.id
ORDER BY c.id

-- pointer --
-- Where the active load is, whether a rollback holds it, and what was applied.
SELECT active, held, generation, decision FROM pointer

-- lock_pointer --
-- The same, and nobody else moves it or decides on trust before this transaction ends.
SELECT active, held, generation, decision FROM pointer FOR UPDATE

-- mark_undone --
-- Mark the loads above the pointer as gone; waits for whoever is writing to one of them.
UPDATE load SET status = 'abandoned' WHERE number > %(active)s

-- above_pointer --
-- Documents of every load above the pointer.
SELECT id FROM document WHERE added_in > %(active)s

-- undo_removals --
-- Bring back what loads above the pointer had ended.
UPDATE document SET removed_in = %(forever)s
WHERE removed_in > %(active)s AND removed_in < %(forever)s RETURNING id

-- delete_documents --
-- Delete documents with their chunks.
WITH passages AS (DELETE FROM passage WHERE document_id = ANY(%(documents)s) RETURNING id),
     bodies AS (DELETE FROM body USING passages WHERE body.id = passages.id)
DELETE FROM document WHERE id = ANY(%(documents)s)

-- delete_nearest --
-- Delete what an exact search scans of documents.
DELETE FROM {nearest} WHERE document_id = ANY(%(documents)s)

-- follow_passage --
-- Repeat a document's interval and eligibility on its chunks.
UPDATE passage p SET removed_in = d.removed_in, eligible = d.eligible FROM document d
WHERE d.id = ANY(%(documents)s) AND p.document_id = d.id
  AND (p.removed_in, p.eligible) IS DISTINCT FROM (d.removed_in, d.eligible)

-- follow_nearest --
-- The same for what an exact search scans.
UPDATE {nearest} n SET removed_in = d.removed_in, eligible = d.eligible FROM document d
WHERE d.id = ANY(%(documents)s) AND n.document_id = d.id
  AND (n.removed_in, n.eligible) IS DISTINCT FROM (d.removed_in, d.eligible)

-- insert_load --
-- Start a load; an identity column never gives a number twice.
INSERT INTO load (status, base, fingerprint, created_at, details)
VALUES ('building', %(active)s, %(fingerprint)s, %(now)s, %(details)s) RETURNING number

-- load --
-- One load.
SELECT * FROM load WHERE number = %(load)s

-- building_load --
-- One load, kept from being given up until this transaction ends.
SELECT status, base FROM load WHERE number = %(load)s FOR SHARE

-- loads --
-- Every load, newest first.
SELECT * FROM load ORDER BY number DESC

-- discard_load --
-- Forget a load that wrote nothing.
DELETE FROM load WHERE number = %(load)s AND status = 'building'

-- load_rows --
-- Whether a load added or ended any document.
SELECT EXISTS (SELECT 1 FROM document WHERE added_in = %(load)s OR removed_in = %(load)s)

-- add_warnings --
-- Note on a load what had to be changed in its rows.
UPDATE load SET details = jsonb_set(details::jsonb, '{warnings}',
    coalesce(details::jsonb -> 'warnings', '{}') || jsonb_build_object(
        'replaced_characters', %(replaced)s
            + coalesce((details::jsonb -> 'warnings' ->> 'replaced_characters')::integer, 0),
        'words_cut', %(cut)s
            + coalesce((details::jsonb -> 'warnings' ->> 'words_cut')::integer, 0)))::json
WHERE number = %(load)s

-- own_documents --
-- What this very load wrote earlier for some documents.
SELECT id FROM document WHERE key = ANY(%(keys)s) AND added_in = %(load)s

-- end_replaced --
-- End the versions that new ones replace; an ineligible version never ends an eligible one.
UPDATE document d SET removed_in = %(load)s
FROM unnest(%(keys)s::bytea[], %(eligible)s::boolean[]) AS n (key, eligible)
WHERE d.key = n.key AND d.removed_in = %(forever)s AND d.added_in < %(load)s
  AND (n.eligible OR NOT d.eligible)
RETURNING d.id, d.chunk_count

-- end_removed --
-- End documents that are gone.
UPDATE document SET removed_in = %(load)s
WHERE key = ANY(%(keys)s) AND removed_in = %(forever)s AND added_in < %(load)s
RETURNING id, chunk_count

-- reserve --
-- Ids for new rows.
SELECT nextval(pg_get_serial_sequence(%(table)s, 'id')) FROM generate_series(1, %(count)s)

-- known --
-- Newest visible version of each document of a source with the chunks that are really there.
SELECT d.id, d.path, d.revision, d.processing_key, d.digest, d.eligible, d.status, d.chunk_count,
       d.uri, d.commit_id, d.modified_at,
       (SELECT count(*) FROM passage p JOIN body b ON b.id = p.id
        WHERE p.document_id = d.id) AS complete
FROM document d
WHERE d.source = %(source)s AND d.added_in <= %(active)s AND d.removed_in > %(active)s
ORDER BY d.path, d.added_in

-- known_vectors --
-- How many chunks of visible documents of a source have their vector.
SELECT d.id, count(*) AS chunks
FROM document d JOIN passage p ON p.document_id = d.id JOIN {cache} v ON v.key = p.vector_key
WHERE d.source = %(source)s AND d.added_in <= %(active)s AND d.removed_in > %(active)s
GROUP BY d.id

-- sources --
-- Ids of all sources that the active load shows.
SELECT DISTINCT d.source FROM document d, pointer p
WHERE d.added_in <= p.active AND d.removed_in > p.active
ORDER BY d.source

-- count_visible --
-- Documents and chunks that a load shows.
SELECT count(*) AS documents, coalesce(sum(chunk_count), 0) AS chunks FROM document
WHERE added_in <= %(load)s AND removed_in > %(load)s

-- bad_chunks --
-- Documents of a load whose chunks are missing, empty or have impossible bounds.
SELECT count(*) FROM document d LEFT JOIN (
    SELECT p.document_id, count(*) AS sound FROM passage p JOIN body b ON b.id = p.id
    WHERE p.added_in = %(load)s AND b.text <> '' AND b.line_start >= 1
      AND b.line_end >= b.line_start AND b.part BETWEEN 1 AND b.parts
    GROUP BY p.document_id) c ON c.document_id = d.id
WHERE d.added_in = %(load)s AND (d.chunk_count = 0 OR d.chunk_count <> coalesce(c.sound, 0))

-- doubled --
-- Documents of which a load would show two eligible versions.
SELECT count(*) FROM (
    SELECT 1 FROM document
    WHERE added_in <= %(load)s AND removed_in > %(load)s AND eligible
    GROUP BY key HAVING count(*) > 1) doubled

-- new_chunks --
-- How many chunks a load wrote.
SELECT coalesce(sum(chunk_count), 0) FROM document WHERE added_in = %(load)s

-- new_without_vector --
-- Chunks of a load that have no vector of its fingerprint.
SELECT count(*) FROM passage p LEFT JOIN {nearest} n ON n.id = p.id
WHERE p.added_in = %(load)s AND n.id IS NULL

-- changed_visibility --
-- Eligible documents that one of two loads shows and the other doesn't.
SELECT id, added_in <= %(new)s AND removed_in > %(new)s AS enters
FROM document
WHERE eligible
  AND (added_in > %(low)s AND added_in <= %(high)s OR removed_in > %(low)s AND removed_in <= %(high)s)
  AND (added_in <= %(old)s AND removed_in > %(old)s)
   <> (added_in <= %(new)s AND removed_in > %(new)s)

-- count_words --
-- Add documents to the frequencies of their words, or (sign -1) take them out. A word stands in a
-- tsvector once; counting the arrays takes half the time of ts_stat.
INSERT INTO word_frequency AS f (term, chunks)
SELECT w.word, %(sign)s * count(*) FROM passage p, unnest(tsvector_to_array(p.words)) AS w (word)
WHERE p.document_id = ANY(%(documents)s) GROUP BY w.word
ORDER BY w.word COLLATE "C"
ON CONFLICT (term) DO UPDATE SET chunks = f.chunks + excluded.chunks

-- count_names --
-- The same for identifiers.
INSERT INTO name_frequency AS f (term, chunks)
SELECT n.name, %(sign)s * count(*) FROM passage p, unnest(p.names) AS n (name)
WHERE p.document_id = ANY(%(documents)s) GROUP BY n.name ORDER BY n.name
ON CONFLICT (term) DO UPDATE SET chunks = f.chunks + excluded.chunks

-- count_chunks --
-- The same for the totals.
UPDATE pointer SET chunks = pointer.chunks + %(sign)s * c.chunks,
                   length = pointer.length + %(sign)s * c.length
FROM (SELECT count(*) AS chunks, coalesce(sum(length), 0) AS length FROM passage
      WHERE document_id = ANY(%(documents)s)) c

-- clear_words --
-- Forget the words' frequencies before they are counted again.
DELETE FROM word_frequency

-- clear_names --
-- Forget the identifiers' frequencies before they are counted again.
DELETE FROM name_frequency

-- clear_totals --
-- Forget the totals before they are counted again.
UPDATE pointer SET chunks = 0, length = 0

-- gc_words --
-- Forget words that no searchable chunk holds.
DELETE FROM word_frequency WHERE chunks <= 0

-- gc_names --
-- Forget identifiers that no searchable chunk has.
DELETE FROM name_frequency WHERE chunks <= 0

-- move_pointer --
-- The compare-and-swap of an activation or rollback.
UPDATE pointer SET active = %(new)s, held = %(held)s, generation = generation + 1
WHERE active = %(old)s

-- bump --
-- Tell every cache that what can be found has changed.
UPDATE pointer SET generation = generation + 1

-- release --
-- Let syncs run again.
UPDATE pointer SET held = false

-- mark_load --
-- Set a load's status.
UPDATE load SET status = %(status)s WHERE number = %(load)s

-- mark_activated --
-- Record an activation and what it shows.
UPDATE load SET status = 'active', activated_at = %(now)s, documents = %(documents)s,
                chunks = %(chunks)s
WHERE number = %(load)s

-- mark_rolled_back --
-- Loads that a rollback jumped over.
UPDATE load SET status = 'rolled_back'
WHERE number > %(to)s AND number <= %(active)s AND status IN ('active', 'superseded')

-- previous_load --
-- The newest load before the active one that can be gone back to.
SELECT max(number) FROM load WHERE status = 'superseded' AND number < %(active)s

-- kept_loads --
-- Activated loads at or below the pointer, newest first.
SELECT number, activated_at FROM load
WHERE status IN ('active', 'superseded') AND number <= %(active)s
ORDER BY number DESC

-- gc_documents --
-- Documents that no kept load shows.
SELECT id, chunk_count FROM document WHERE removed_in <= %(oldest)s

-- gc_loads --
-- Say which loads can't be gone back to any more.
UPDATE load SET status = 'collected' WHERE number < %(oldest)s AND status = 'superseded'

-- versions_of --
-- Rows of a document and digest, in every load, whose eligibility differs from what is wanted.
SELECT id, added_in <= %(active)s AND removed_in > %(active)s AS visible FROM document
WHERE key = %(key)s AND corpus = %(corpus)s AND digest = %(digest)s
  AND eligible <> %(eligible)s AND (NOT %(eligible)s OR status = 'stable')

-- set_eligible --
-- Change eligibility in place.
UPDATE document SET eligible = %(eligible)s WHERE id = ANY(%(documents)s)

-- describe --
-- Say anew where revisions that the active load shows come from.
UPDATE document d SET uri = n.uri, commit_id = n.commit_id, modified_at = n.modified_at
FROM unnest(%(keys)s::bytea[], %(revisions)s::text[], %(uris)s::text[], %(commits)s::text[],
            %(dates)s::timestamptz[]) AS n (key, revision, uri, commit_id, modified_at)
WHERE d.key = n.key AND d.revision = n.revision
  AND d.added_in <= %(active)s AND d.removed_in > %(active)s

-- note_decision --
-- Remember the last ledger decision that was applied.
UPDATE pointer SET decision = greatest(decision, %(decision)s)

-- filters --
-- What a search can be narrowed to: corpora and services of what it may find.
SELECT DISTINCT d.corpus, d.service FROM document d, pointer p
WHERE d.eligible AND d.added_in <= p.active AND d.removed_in > p.active

-- visible --
-- Eligible documents of the active load.
SELECT d.corpus, d.source, d.path, d.digest FROM document d, pointer p
WHERE d.eligible AND d.added_in <= p.active AND d.removed_in > p.active
ORDER BY d.corpus, d.source, d.path

-- searchable_documents --
-- Ids of the documents that searches should find.
SELECT id FROM document WHERE eligible AND added_in <= %(active)s AND removed_in > %(active)s

-- searchable --
-- What the totals say, and what is there.
SELECT p.chunks, p.length, count(s.id) AS there, coalesce(sum(s.length), 0) AS there_length
FROM pointer p LEFT JOIN passage s ON s.eligible AND s.added_in <= p.active AND s.removed_in > p.active
GROUP BY p.chunks, p.length

-- lost_bodies --
-- Visible documents whose chunks or bodies are not all there.
SELECT d.source, d.path FROM document d LEFT JOIN (
    SELECT p.document_id, count(*) AS there FROM passage p JOIN body b ON b.id = p.id
    GROUP BY p.document_id) c ON c.document_id = d.id
WHERE d.added_in <= %(active)s AND d.removed_in > %(active)s
  AND d.chunk_count <> coalesce(c.there, 0)
ORDER BY d.source, d.path

-- strayed --
-- Documents whose chunks say something else about their interval or eligibility.
SELECT DISTINCT d.id FROM passage p JOIN document d ON d.id = p.document_id
WHERE (p.added_in, p.removed_in, p.eligible) IS DISTINCT FROM (d.added_in, d.removed_in, d.eligible)

-- strayed_nearest --
-- The same for what an exact search scans.
SELECT DISTINCT d.id FROM {nearest} n JOIN document d ON d.id = n.document_id
WHERE (n.added_in, n.removed_in, n.eligible) IS DISTINCT FROM (d.added_in, d.removed_in, d.eligible)

-- miscounted_words --
-- How many words have another frequency than the searchable chunks give.
SELECT count(*) FROM (SELECT term, chunks FROM word_frequency WHERE chunks <> 0) f
FULL JOIN ts_stat(format(
    'SELECT words FROM passage WHERE eligible AND added_in <= %%s AND removed_in > %%1$s',
    %(active)s::integer)) s ON s.word = f.term
WHERE f.chunks IS DISTINCT FROM s.ndoc

-- without_vector --
-- Chunks that a load shows without a vector of its fingerprint.
SELECT count(*) FROM passage p LEFT JOIN {nearest} n ON n.id = p.id
WHERE p.added_in <= %(active)s AND p.removed_in > %(active)s AND n.id IS NULL

-- outline --
-- What every eligible chunk of the active load is called.
SELECT p.id, p.document_id, d.corpus, d.service, d.path, d.uri, d.title, b.heading_path, b.anchor
FROM pointer a JOIN document d
  ON d.eligible AND d.added_in <= a.active AND d.removed_in > a.active
JOIN passage p ON p.document_id = d.id JOIN body b ON b.id = p.id
ORDER BY p.id

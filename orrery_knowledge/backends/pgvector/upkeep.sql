-- make_words --
-- Finds chunks by their words.
CREATE INDEX {how} IF NOT EXISTS passage_words ON passage USING gin (words)

-- make_names --
-- Finds chunks by their identifiers.
CREATE INDEX {how} IF NOT EXISTS passage_names ON passage USING gin (names)

-- make_documents --
-- Finds the chunks of a document.
CREATE INDEX {how} IF NOT EXISTS passage_document ON passage (document_id)

-- make_services --
-- Finds the chunks of a service: few enough to look at each.
CREATE INDEX {how} IF NOT EXISTS passage_service ON passage (service) WHERE service IS NOT NULL

-- make_corpora --
-- Finds the chunks of a corpus, which pays for a small one beside a large one.
CREATE INDEX {how} IF NOT EXISTS passage_corpus ON passage (corpus)

-- make_keys --
-- Finds the chunks that use a vector.
CREATE INDEX {how} IF NOT EXISTS passage_vector ON passage (vector_key)

-- make_nearest_documents --
-- Finds the narrow rows of a document.
CREATE INDEX {how} IF NOT EXISTS {documents} ON {nearest} (document_id)

-- make_nearest_services --
-- Finds the narrow rows of a service.
CREATE INDEX {how} IF NOT EXISTS {services} ON {nearest} (service) WHERE service IS NOT NULL

-- make_nearest_corpora --
-- Finds the narrow rows of a corpus.
CREATE INDEX {how} IF NOT EXISTS {corpora} ON {nearest} (corpus)

-- sound --
-- Which of some indexes are there and whole: one whose making was interrupted is not.
SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indisvalid AND c.relname = ANY(%(names)s)
  AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())

-- drop_unsound --
-- Take away what an interruption left.
DROP INDEX IF EXISTS {index}

-- clean_pending --
-- Move new entries into the body of each index.
SELECT gin_clean_pending_list('passage_words'::regclass),
       gin_clean_pending_list('passage_names'::regclass)

-- analyze --
-- Renew what the planner knows. Not of words and names: each is looked up as a parameter, about
-- which statistics say nothing.
ANALYZE document, passage (id, document_id, added_in, removed_in, eligible, corpus, service,
    vector_key), body (id), word_frequency, name_frequency

-- analyze_nearest --
-- The same for the vectors; not of their values, which no plan depends on.
ANALYZE {cache} (key), {nearest} (id, document_id, added_in, removed_in, eligible, corpus, service)

-- make_words --
-- Finds chunks by their words.
CREATE INDEX IF NOT EXISTS passage_words ON passage USING gin (words)

-- make_names --
-- Finds chunks by their identifiers.
CREATE INDEX IF NOT EXISTS passage_names ON passage USING gin (names)

-- make_documents --
-- Finds the chunks of a document.
CREATE INDEX IF NOT EXISTS passage_document ON passage (document_id)

-- make_services --
-- Finds the chunks of a service: few enough to look at each.
CREATE INDEX IF NOT EXISTS passage_service ON passage (service) WHERE service IS NOT NULL

-- make_keys --
-- Finds the chunks that use a vector.
CREATE INDEX IF NOT EXISTS passage_vector ON passage (vector_key)

-- make_nearest_documents --
-- Finds the narrow rows of a document.
CREATE INDEX IF NOT EXISTS {documents} ON {nearest} (document_id)

-- make_nearest_services --
-- Finds the narrow rows of a service.
CREATE INDEX IF NOT EXISTS {services} ON {nearest} (service) WHERE service IS NOT NULL

-- clean_pending --
-- Move new entries into the body of each index.
SELECT gin_clean_pending_list('passage_words'::regclass),
       gin_clean_pending_list('passage_names'::regclass)

-- analyze --
-- Renew what the planner knows.
ANALYZE document, passage, body, word_frequency, name_frequency

-- analyze_nearest --
-- The same for the vectors.
ANALYZE {cache}, {nearest}

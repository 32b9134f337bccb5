-- Documents and chunks are intervals over loads: a row is visible in load L when
-- added_in <= L and (removed_in IS NULL OR removed_in > L).
CREATE TABLE load (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    status TEXT NOT NULL,
    base INTEGER NOT NULL,
    fingerprint TEXT,
    created_at TEXT NOT NULL,
    activated_at TEXT,
    details TEXT NOT NULL DEFAULT '{}',
    documents INTEGER NOT NULL DEFAULT 0,
    chunks INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE pointer (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    active INTEGER NOT NULL,
    held INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    decision INTEGER NOT NULL
);
INSERT INTO pointer VALUES (1, 0, 0, 0, 0);

CREATE TABLE document (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    corpus TEXT NOT NULL,
    source TEXT NOT NULL,
    path TEXT NOT NULL,
    uri TEXT NOT NULL,
    title TEXT NOT NULL,
    service TEXT,
    status TEXT NOT NULL,
    digest TEXT NOT NULL,
    revision TEXT NOT NULL,
    processing_key TEXT NOT NULL,
    commit_id TEXT,
    modified_at TEXT,
    eligible INTEGER NOT NULL,
    trust TEXT NOT NULL,
    metadata TEXT NOT NULL,
    chunk_count INTEGER NOT NULL,
    added_in INTEGER NOT NULL,
    removed_in INTEGER,
    UNIQUE (source, path, added_in)
);
CREATE INDEX document_added ON document (added_in);
CREATE INDEX document_removed ON document (removed_in);
CREATE INDEX document_digest ON document (digest);

-- Narrow: what every search reads of all chunks.
CREATE TABLE chunk (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id INTEGER NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    length INTEGER NOT NULL,
    vector_key BLOB,
    UNIQUE (document_id, ordinal)
);
CREATE INDEX chunk_vector ON chunk (vector_key);

-- Wide: what is read of the few that are scored or shown.
CREATE TABLE body (
    id INTEGER PRIMARY KEY REFERENCES chunk (id) ON DELETE CASCADE,
    header TEXT NOT NULL,
    words TEXT NOT NULL,
    names TEXT NOT NULL,
    text TEXT NOT NULL,
    context TEXT NOT NULL,
    section TEXT NOT NULL,
    heading_path TEXT NOT NULL,
    anchor TEXT NOT NULL,
    part INTEGER NOT NULL,
    parts INTEGER NOT NULL,
    line_start INTEGER NOT NULL,
    line_end INTEGER NOT NULL
);

-- The search tables hold exactly the eligible chunks that the active load shows; rows enter and
-- leave in the transaction that moves the pointer, so invisible rows never touch a score.
CREATE VIRTUAL TABLE passage USING fts5 (
    header, words, content = 'body', content_rowid = 'id',
    tokenize = 'unicode61 remove_diacritics 0'
);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (passage, row);
CREATE TABLE identifier (
    token TEXT NOT NULL,
    chunk_id INTEGER NOT NULL,
    whole INTEGER NOT NULL,
    PRIMARY KEY (token, chunk_id)
) WITHOUT ROWID;
CREATE INDEX identifier_chunk ON identifier (chunk_id);

-- Vectors are content-addressed, so they double as the embedding cache.
CREATE TABLE vector (
    id INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    key BLOB NOT NULL,
    value BLOB NOT NULL,
    UNIQUE (fingerprint, key)
);

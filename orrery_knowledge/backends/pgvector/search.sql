-- statistics --
-- The active load with the document frequencies of some words and identifiers in it.
SELECT p.active, p.generation, p.chunks, p.length, l.fingerprint, f.id, f.dimensions,
       l.details::jsonb #>> '{hnsw,recall}' AS recall,
       (SELECT array_agg(w.term) FROM word_frequency w WHERE w.term = ANY(%(words)s)) AS words,
       (SELECT array_agg(w.chunks) FROM word_frequency w WHERE w.term = ANY(%(words)s)) AS counts,
       (SELECT array_agg(n.term) FROM name_frequency n WHERE n.term = ANY(%(names)s)) AS names,
       (SELECT array_agg(n.chunks) FROM name_frequency n WHERE n.term = ANY(%(names)s)) AS name_counts
FROM pointer p LEFT JOIN load l ON l.number = p.active LEFT JOIN fingerprint f ON f.name = l.fingerprint

-- matching --
-- Chunks that match any word of the gate, best first by what the tsvector tells of BM25F (our own
-- scorer orders them). Word by word, so that the work is that of the matches, however many words
-- were asked for. A rank of 3/4 or more holds weight A: the word stands in the header.
SELECT m.id
FROM unnest(%(matches)s::text[], %(words)s::text[], %(weights)s::float8[]) AS g (match, word, weight)
CROSS JOIN LATERAL (
    SELECT p.id, %(base)s + %(slope)s * p.length AS norm,
           1.64493406685 * ts_rank(%(classes)s::float4[], p.words, g.word::tsquery)::float8 AS rank
    FROM passage p
    WHERE p.words @@ g.match::tsquery AND p.eligible
      AND p.added_in <= %(load)s AND p.removed_in > %(load)s
      AND (%(corpus)s::text IS NULL OR p.corpus = %(corpus)s)
      AND (%(service)s::text IS NULL OR p.service = %(service)s)
    OFFSET 0) m
CROSS JOIN LATERAL (
    SELECT CASE WHEN m.rank >= 0.75 THEN %(header)s + greatest(m.rank - 1, 0) * 32 / m.norm
                ELSE m.rank * 8 / m.norm END AS frequency) t
GROUP BY m.id
ORDER BY sum(g.weight * t.frequency / (t.frequency + %(saturation)s)) DESC, m.id
LIMIT %(limit)s

-- identified --
-- Chunks that have any of some identifiers, best first. The values are integers, so that equal
-- sums are equal in whatever order they were added.
SELECT m.id
FROM unnest(%(names)s::text[], %(whole)s::bigint[], %(piece)s::bigint[]) AS g (name, whole, piece)
CROSS JOIN LATERAL (
    SELECT p.id, array_position(p.names, g.name) <= p.wholes AS whole
    FROM passage p
    WHERE p.names @> ARRAY[g.name] AND p.eligible
      AND p.added_in <= %(load)s AND p.removed_in > %(load)s
      AND (%(corpus)s::text IS NULL OR p.corpus = %(corpus)s)
      AND (%(service)s::text IS NULL OR p.service = %(service)s)
    OFFSET 0) m
GROUP BY m.id
ORDER BY sum(CASE WHEN m.whole THEN g.whole ELSE g.piece END) DESC, m.id
LIMIT %(limit)s

-- nearest --
-- Exact nearest chunks by inner product; "+ 0" keeps an approximate index out of it.
SELECT id FROM {nearest}
WHERE eligible AND added_in <= %(load)s AND removed_in > %(load)s
  AND (%(corpus)s::text IS NULL OR corpus = %(corpus)s)
  AND (%(service)s::text IS NULL OR service = %(service)s)
ORDER BY (value <#> %(vector)b::halfvec) + 0 LIMIT %(limit)s

-- near --
-- Nearest chunks by the approximate index.
SELECT id FROM {nearest}
WHERE eligible AND added_in <= %(load)s AND removed_in > %(load)s
ORDER BY value <#> %(vector)b::halfvec LIMIT %(limit)s

-- scored --
-- What the scorers read of candidates.
SELECT p.id, p.document_id, b.header, b.words, p.length, p.names, p.wholes, NULL::float8 AS cosine
FROM passage p JOIN body b ON b.id = p.id
WHERE p.id = ANY(%(chunks)s)

-- scored_with_cosine --
-- The same with the cosine of the full vectors, which the narrow table holds only roughly.
SELECT p.id, p.document_id, b.header, b.words, p.length, p.names, p.wholes,
       -(v.value <#> %(vector)b::vector) AS cosine
FROM passage p JOIN body b ON b.id = p.id LEFT JOIN {cache} v ON v.key = p.vector_key
WHERE p.id = ANY(%(chunks)s)

-- fetch --
-- Bodies with provenance, as a load shows them and only while eligible.
SELECT b.*, p.ordinal, p.names, p.wholes, d.corpus, d.source, d.path, d.uri, d.title, d.service,
       d.digest, d.revision, d.commit_id, d.modified_at, d.trust, d.metadata
FROM body b JOIN passage p ON p.id = b.id JOIN document d ON d.id = p.document_id
WHERE b.id = ANY(%(chunks)s) AND d.eligible
  AND d.added_in <= %(load)s AND d.removed_in > %(load)s

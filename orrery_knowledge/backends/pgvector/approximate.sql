-- scan --
-- How the graph is searched, until the end of the transaction.
SELECT set_config('hnsw.ef_search', %(ef)s, true),
       set_config('hnsw.iterative_scan', 'strict_order', true),
       set_config('hnsw.max_scan_tuples', %(most)s, true)

-- create --
-- The graph, over the narrow rows; it takes long, and decisions have to change those meanwhile.
CREATE INDEX CONCURRENTLY {hnsw} ON {nearest} USING hnsw (value halfvec_ip_ops)
    WITH (m = {m}, ef_construction = {ef})

-- drop --
-- Take the graph away: it would only make syncs slow.
DROP INDEX IF EXISTS {hnsw}

-- sample --
-- Some vectors that a load shows, the same every time.
SELECT value FROM {nearest}
WHERE eligible AND added_in <= %(load)s AND removed_in > %(load)s
ORDER BY md5(id::text) LIMIT %(limit)s

-- note --
-- Keep on a load what was measured.
UPDATE load SET details = jsonb_set(details::jsonb, '{hnsw}', %(probe)s::jsonb)::json
WHERE number = %(load)s

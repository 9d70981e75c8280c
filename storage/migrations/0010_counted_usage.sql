-- Which records of the ledger count: those that no other record of the ledger replaces. The last
-- condition lets the partial index usage_record_replaces answer.

CREATE VIEW priorityd.counted_usage AS
SELECT u.* FROM priorityd.usage_record u
WHERE NOT EXISTS
  (SELECT FROM priorityd.usage_record r
   WHERE r.cluster_id = u.cluster_id AND r.source = u.source
     AND r.replaces_record_id = u.record_id AND r.replaces_record_id <> '');

-- The same for the ledger as it was when its last record was the one with this seq; NULL = as it
-- is. PostgreSQL inlines it, as it does the view; without PARALLEL SAFE no query of it is parallel.
CREATE FUNCTION priorityd.counted_usage_upto(last_seq bigint)
RETURNS SETOF priorityd.usage_record LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT u.* FROM priorityd.usage_record u
WHERE (last_seq IS NULL OR u.seq <= last_seq) AND NOT EXISTS
  (SELECT FROM priorityd.usage_record r
   WHERE r.cluster_id = u.cluster_id AND r.source = u.source
     AND r.replaces_record_id = u.record_id AND r.replaces_record_id <> ''
     AND (last_seq IS NULL OR r.seq <= last_seq))
$$;

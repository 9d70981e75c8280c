-- One step of RetentionStore::RollUp: moves records of cluster $1 that end before the
-- horizon $2 into hourly buckets, of associations from id $5 on.
--
-- Associations are walked in the order of their ids, so that each is one lookup in
-- the index on (association_id, end_time). What counts is read before anything is
-- deleted: all parts of the statement see the ledger as it was at its beginning.
WITH visited AS (
  SELECT id FROM priorityd.association WHERE cluster_id = $1 AND id >= $5 ORDER BY id LIMIT $8),

old AS (
  SELECT a.id AS association_id, a.cut, u.*
  FROM (
    SELECT id, greatest($4::timestamptz, (
      SELECT max(reset_at) FROM priorityd.usage_reset s
      WHERE s.cluster_id = $1 AND s.association_id = a.id)) AS cut
    FROM priorityd.association a WHERE cluster_id = $1 AND id >= $5 ORDER BY id LIMIT $8) AS a
  CROSS JOIN LATERAL (
    SELECT seq, date_part('epoch', end_time - start_time) AS seconds
    FROM priorityd.usage_record u
    WHERE association_id = a.id AND end_time < $2 AND (replaces_record_id = '' OR NOT EXISTS (
      SELECT FROM priorityd.usage_record t
      WHERE t.cluster_id = u.cluster_id AND t.source = u.source
        AND t.record_id = u.replaces_record_id))
    ORDER BY end_time LIMIT $6) AS u
  ORDER BY a.id LIMIT $6),

-- OFFSET 0 keeps the planner to one lookup for each record.
chosen AS MATERIALIZED (
  SELECT o.*, counted.seq IS NOT NULL AS counts
  FROM (
    SELECT old.*, sum(seconds / 3600 + 1) OVER (ORDER BY association_id, seq)
      - seconds / 3600 - 1 AS pieces_before FROM old) AS o
  LEFT JOIN LATERAL (
    SELECT c.seq FROM priorityd.counted_usage c WHERE c.seq = o.seq OFFSET 0) AS counted ON true
  WHERE pieces_before < $7),

gone AS (
  DELETE FROM priorityd.usage_record u USING chosen WHERE u.seq = chosen.seq
  RETURNING u.association_id, u.qos_id, u.user_name, u.usage_factor, u.start_time, u.end_time,
    u.tres_ids, u.tres_counts, u.billing_rate, chosen.counts, chosen.cut),

piece AS MATERIALIZED (
  SELECT association_id, coalesce(qos_id, 0) AS qos, user_name, usage_factor,
    CASE WHEN after_cut THEN greatest(hour, cut) ELSE hour END AS begins_at,
    part.start_time, part.end_time,
    date_part('epoch', part.end_time - part.start_time) AS seconds,
    tres_ids, tres_counts, billing_rate, part.end_time = gone.end_time AS is_last
  FROM gone
  CROSS JOIN LATERAL generate_series(
    date_bin('1 hour', start_time, $3),
    greatest(start_time, end_time - interval '1 microsecond'), '1 hour') AS hour
  CROSS JOIN (VALUES (false), (true)) AS side (after_cut)
  CROSS JOIN LATERAL (SELECT
    greatest(start_time, hour, CASE WHEN after_cut THEN cut END) AS start_time,
    least(end_time, hour + interval '1 hour', CASE WHEN NOT after_cut THEN cut END) AS end_time)
    AS part
  WHERE counts AND (part.start_time < part.end_time OR
    (gone.start_time = gone.end_time AND after_cut = (gone.start_time >= cut)))),

total AS (
  SELECT association_id, qos, user_name, usage_factor, begins_at,
    min(start_time) AS start_time, max(end_time) AS end_time, sum(seconds) AS wall_seconds,
    sum(seconds * billing_rate) AS billing_seconds, count(*) FILTER (WHERE is_last) AS records
  FROM piece GROUP BY 1, 2, 3, 4, 5),

amount AS (
  SELECT association_id, qos, user_name, usage_factor, begins_at,
    array_agg(tres_id ORDER BY tres_id) AS tres_ids,
    array_agg(seconds ORDER BY tres_id) AS tres_seconds
  FROM (
    SELECT association_id, qos, user_name, usage_factor, begins_at, tres_id,
      sum(seconds * count) AS seconds
    FROM piece CROSS JOIN LATERAL unnest(tres_ids, tres_counts) AS t (tres_id, count)
    GROUP BY 1, 2, 3, 4, 5, 6) AS by_tres
  GROUP BY 1, 2, 3, 4, 5),

filled AS (
  INSERT INTO priorityd.usage_bucket AS b (cluster_id, association_id, qos_id, user_name,
    usage_factor, begins_at, start_time, end_time, tres_ids, tres_seconds, billing_seconds,
    wall_seconds, records)
  SELECT $1::integer, association_id, nullif(qos, 0), user_name, usage_factor, begins_at,
    start_time, end_time, coalesce(tres_ids, '{}'), coalesce(tres_seconds, '{}'),
    billing_seconds, wall_seconds, records
  FROM total LEFT JOIN amount USING (association_id, qos, user_name, usage_factor, begins_at)
  ON CONFLICT ON CONSTRAINT usage_bucket_hour DO UPDATE SET
    start_time = least(b.start_time, EXCLUDED.start_time),
    end_time = greatest(b.end_time, EXCLUDED.end_time),
    (tres_ids, tres_seconds) = (
      SELECT coalesce(array_agg(tres_id ORDER BY tres_id), '{}'),
        coalesce(array_agg(seconds ORDER BY tres_id), '{}')
      FROM (
        SELECT tres_id, sum(seconds) AS seconds
        FROM (
          SELECT * FROM unnest(b.tres_ids, b.tres_seconds) UNION ALL
          SELECT * FROM unnest(EXCLUDED.tres_ids, EXCLUDED.tres_seconds)) AS t (tres_id, seconds)
        GROUP BY tres_id) AS merged),
    billing_seconds = b.billing_seconds + EXCLUDED.billing_seconds,
    wall_seconds = b.wall_seconds + EXCLUDED.wall_seconds,
    records = b.records + EXCLUDED.records
  RETURNING id)

-- The records and buckets of this step, and where the next one continues.
SELECT (SELECT count(*) FROM chosen), (SELECT count(*) FROM filled),
  CASE WHEN (SELECT count(*) FROM old) >= $6
      OR (SELECT count(*) FROM chosen) < (SELECT count(*) FROM old)
    THEN (SELECT max(association_id) FROM chosen)
    WHEN (SELECT count(*) FROM visited) >= $8 THEN (SELECT max(id) + 1 FROM visited)
    ELSE 0 END

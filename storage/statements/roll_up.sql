-- One step of RetentionStore::RollUp: moves records of cluster $1 that end before the
-- horizon $2 into hourly buckets, of associations from id $5 on.
--
-- Associations are walked in the order of their ids, so that each is one lookup in
-- the index on (association_id, end_time), and what makes up a bucket comes together. What
-- counts (as in the view counted_usage) is read before anything is deleted: all parts of
-- the statement see the ledger as it was at its beginning.
WITH visited AS (
  SELECT id FROM priorityd.association WHERE cluster_id = $1 AND id >= $5 ORDER BY id LIMIT $8),

old AS (
  SELECT a.id AS association_id, coalesce(a.cut, '-infinity') AS cut, u.*
  FROM (
    SELECT id, greatest($4::timestamptz, (
      SELECT max(reset_at) FROM priorityd.usage_reset s
      WHERE s.cluster_id = $1 AND s.association_id = a.id)) AS cut
    FROM priorityd.association a WHERE cluster_id = $1 AND id >= $5 ORDER BY id LIMIT $8) AS a
  CROSS JOIN LATERAL (
    SELECT u.ctid AS place, seq, source, record_id, qos_id, user_name, usage_factor, start_time,
      end_time, tres_ids, tres_counts, billing_rate
    FROM priorityd.usage_record u
    WHERE association_id = a.id AND end_time < $2 AND (replaces_record_id = '' OR NOT EXISTS (
      SELECT FROM priorityd.usage_record t
      WHERE t.cluster_id = u.cluster_id AND t.source = u.source
        AND t.record_id = u.replaces_record_id))
    ORDER BY end_time LIMIT $6) AS u
  ORDER BY a.id LIMIT $6),

chosen AS MATERIALIZED (
  SELECT o.*, NOT EXISTS (
      SELECT FROM priorityd.usage_record r
      WHERE r.cluster_id = $1 AND r.source = o.source AND r.replaces_record_id = o.record_id
        AND r.replaces_record_id <> '') AS counts
  FROM (
    SELECT old.*, sum(date_part('epoch', end_time - start_time) / 3600 + 1)
        OVER (ORDER BY association_id, seq)
      - date_part('epoch', end_time - start_time) / 3600 - 1 AS pieces_before FROM old) AS o
  WHERE pieces_before < $7),

gone AS (DELETE FROM priorityd.usage_record u USING chosen WHERE u.ctid = chosen.place),

-- Cut at the association's last reset.
stretch AS (
  SELECT association_id, coalesce(qos_id, 0) AS qos, user_name, usage_factor, tres_ids,
    tres_counts, billing_rate, end_time AS ends, cut AS earliest,
    greatest(start_time, cut) AS start_time, end_time
  FROM chosen WHERE counts AND (end_time > cut OR start_time >= cut)
  UNION ALL
  SELECT association_id, coalesce(qos_id, 0), user_name, usage_factor, tres_ids,
    tres_counts, billing_rate, end_time, '-infinity', start_time, least(end_time, cut)
  FROM chosen WHERE counts AND start_time < cut),

-- Of one hour and one request for TRES, which an array's tasks have in common.
part AS (
  SELECT association_id, qos, user_name, usage_factor, greatest(hour, earliest) AS begins_at,
    tres_ids, tres_counts, billing_rate,
    min(part.start_time) AS start_time, max(part.end_time) AS end_time,
    sum(date_part('epoch', part.end_time - part.start_time)) AS seconds,
    count(*) FILTER (WHERE part.end_time = ends) AS records
  FROM stretch
  CROSS JOIN LATERAL generate_series(
    date_bin('1 hour', start_time, $3),
    greatest(start_time, end_time - interval '1 microsecond'), '1 hour') AS hour
  CROSS JOIN LATERAL (SELECT greatest(start_time, hour) AS start_time,
    least(end_time, hour + interval '1 hour') AS end_time) AS part
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8),

-- By TRES; -1 = wall time, -2 = billing, -3 = records.
amount AS (
  SELECT association_id, qos, user_name, usage_factor, begins_at, tres_id,
    min(start_time) AS start_time, max(end_time) AS end_time, sum(amount) AS amount
  FROM part CROSS JOIN LATERAL (
    SELECT tres_id, seconds * count AS amount FROM unnest(tres_ids, tres_counts) AS t (tres_id, count)
    UNION ALL VALUES (-1, seconds), (-2, seconds * billing_rate), (-3, records)) AS t
  GROUP BY 1, 2, 3, 4, 5, 6),

total AS (
  SELECT association_id, qos, user_name, usage_factor, begins_at,
    min(start_time) AS start_time, max(end_time) AS end_time,
    array_agg(tres_id ORDER BY tres_id) FILTER (WHERE tres_id > 0) AS tres_ids,
    array_agg(amount ORDER BY tres_id) FILTER (WHERE tres_id > 0) AS tres_seconds,
    min(amount) FILTER (WHERE tres_id = -2) AS billing_seconds,
    min(amount) FILTER (WHERE tres_id = -1) AS wall_seconds,
    min(amount) FILTER (WHERE tres_id = -3) AS records
  FROM amount GROUP BY 1, 2, 3, 4, 5),

filled AS (
  INSERT INTO priorityd.usage_bucket AS b (cluster_id, association_id, qos_id, user_name,
    usage_factor, begins_at, start_time, end_time, tres_ids, tres_seconds, billing_seconds,
    wall_seconds, records)
  SELECT $1::integer, association_id, nullif(qos, 0), user_name, usage_factor, begins_at,
    start_time, end_time, coalesce(tres_ids, '{}'), coalesce(tres_seconds, '{}'),
    billing_seconds, wall_seconds, records
  FROM total
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

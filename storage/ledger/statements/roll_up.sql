-- One step of RetentionStore::RollUp: moves records of cluster $1 that end before the
-- horizon $2 into hourly buckets, those that come after ($5, $6) by (end_time, seq).
--
-- Records are processed by end time, which is about their physical order, so that a step deletes
-- whole pages and writes each page once. The records that count (as in the view counted_usage) are
-- read before any is deleted: all parts of the statement see the ledger as of its beginning. A
-- record is looked up as a range, as in storage/database/key_range.h: by one index look-up, whatever the
-- planner assumes about the cluster.
WITH old AS MATERIALIZED (
  SELECT u.*, coalesce(sum(date_part('epoch', end_time - start_time) / 3600 + 1) OVER (
      ORDER BY end_time, seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
    AS pieces_before
  FROM (
    SELECT ctid AS place, seq, source, record_id, replaces_record_id, association_id, qos_id,
      user_name, usage_factor, start_time, end_time, tres_ids, tres_counts, billing_rate
    FROM priorityd.usage_record
    WHERE cluster_id = $1 AND end_time < $2 AND (end_time, seq) > ($5, $6)
    ORDER BY end_time, seq LIMIT $7) AS u),

visited AS MATERIALIZED (
  SELECT old.*, target.seq AS target FROM old LEFT JOIN LATERAL (
    SELECT t.seq FROM priorityd.usage_record t
    WHERE old.replaces_record_id <> '' AND t.cluster_id = $1 AND t.source = old.source
      AND t.record_id >= old.replaces_record_id AND t.record_id <= old.replaces_record_id
    ORDER BY t.record_id LIMIT 1) AS target ON true
  WHERE pieces_before < $8),

-- replaced_by: NULL for one that counts. cut, later_cut: the last resets of the association and of
-- the QOS, in their order.
chosen AS MATERIALIZED (
  SELECT v.*, r.seq AS replaced_by,
    greatest($4::timestamptz, least(reset.at, qos.at)) AS cut,
    greatest($4::timestamptz, reset.at, qos.at) AS later_cut
  FROM visited v
  LEFT JOIN LATERAL (
    SELECT r.seq FROM priorityd.usage_record r
    WHERE r.cluster_id = $1 AND r.source = v.source AND r.replaces_record_id <> ''
      AND r.replaces_record_id >= v.record_id AND r.replaces_record_id <= v.record_id
    ORDER BY r.replaces_record_id LIMIT 1) AS r ON true
  LEFT JOIN (
    SELECT association_id, max(reset_at) AS at
    FROM priorityd.usage_reset WHERE cluster_id = $1 GROUP BY association_id) AS reset
    ON reset.association_id = v.association_id
  LEFT JOIN (
    SELECT id, usage_reset_at AS at FROM priorityd.qos WHERE cluster_id = $1) AS qos
    ON qos.id = v.qos_id
  WHERE target IS NULL),

gone AS (
  DELETE FROM priorityd.usage_record WHERE ctid = ANY (ARRAY(SELECT place FROM chosen))),

stretch AS (
  SELECT *, date_bin('1 hour', start_time, $3) AS hour FROM (
    SELECT association_id, coalesce(qos_id, 0) AS qos, user_name, usage_factor, tres_ids,
      tres_counts, billing_rate, since AS earliest, greatest(start_time, since) AS start_time,
      least(end_time, until) AS end_time, end_time <= until AS has_end
    FROM chosen CROSS JOIN LATERAL (
      VALUES ('-infinity', cut), (cut, later_cut), (later_cut, 'infinity')) AS side (since, until)
    WHERE replaced_by IS NULL AND since < until AND start_time < until
      AND (end_time > since OR start_time >= since)) AS s),

-- Of one hour: most are already.
piece AS (
  SELECT association_id, qos, user_name, usage_factor, greatest(hour, earliest) AS begins_at,
    tres_ids, tres_counts, billing_rate, start_time, end_time, has_end
  FROM stretch WHERE end_time <= hour + interval '1 hour'
  UNION ALL
  SELECT association_id, qos, user_name, usage_factor, greatest(hour, earliest),
    tres_ids, tres_counts, billing_rate, greatest(start_time, hour),
    least(end_time, hour + interval '1 hour'), has_end AND end_time <= hour + interval '1 hour'
  FROM (
    SELECT association_id, qos, user_name, usage_factor, earliest, tres_ids, tres_counts,
      billing_rate, start_time, end_time, has_end,
      generate_series(hour, end_time - interval '1 microsecond', '1 hour') AS hour
    FROM stretch WHERE end_time > hour + interval '1 hour') AS s),

-- Of one bucket and the same TRES: their amounts side by side, without a row for each. Records of
-- more than eight TRES, which are few, are added up only where they have the same counts. parts: in
-- how many the bucket is.
part AS (
  SELECT association_id, qos, user_name, usage_factor, begins_at, tres_ids,
    min(start_time) AS start_time, max(end_time) AS end_time,
    CASE WHEN many_counts IS NULL THEN (ARRAY[
      sum(seconds * tres_counts[1]), sum(seconds * tres_counts[2]), sum(seconds * tres_counts[3]),
      sum(seconds * tres_counts[4]), sum(seconds * tres_counts[5]), sum(seconds * tres_counts[6]),
      sum(seconds * tres_counts[7]), sum(seconds * tres_counts[8])])[1 : cardinality(tres_ids)]
    ELSE ARRAY(SELECT sum(seconds) * count FROM unnest(many_counts) AS count)
    END AS tres_seconds,
    sum(seconds * billing_rate) AS billing_seconds, sum(seconds) AS wall_seconds,
    count(*) FILTER (WHERE has_end) AS records,
    count(*) OVER (PARTITION BY association_id, qos, user_name, usage_factor, begins_at) AS parts
  FROM (
    SELECT *, date_part('epoch', end_time - start_time) AS seconds,
      CASE WHEN cardinality(tres_ids) > 8 THEN tres_counts END AS many_counts
    FROM piece) AS p
  GROUP BY 1, 2, 3, 4, 5, 6, many_counts),

-- By TRES, of buckets in several parts; -1 = wall time, -2 = billing, -3 = records.
amount AS (
  SELECT association_id, qos, user_name, usage_factor, begins_at, tres_id,
    min(start_time) AS start_time, max(end_time) AS end_time, sum(amount) AS amount
  FROM part CROSS JOIN LATERAL (
    SELECT * FROM unnest(tres_ids, tres_seconds) AS u (tres_id, amount)
    UNION ALL VALUES (-1, wall_seconds), (-2, billing_seconds), (-3, records)) AS t
  WHERE parts > 1 GROUP BY 1, 2, 3, 4, 5, 6),

total AS (
  SELECT association_id, qos, user_name, usage_factor, begins_at, start_time, end_time, tres_ids,
    tres_seconds, billing_seconds, wall_seconds, records
  FROM part WHERE parts = 1
  UNION ALL
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
  RETURNING 1)

-- The result of this step, and the place of its last record, where the next step continues.
SELECT (SELECT count(*) FROM chosen), (SELECT count(*) FROM filled),
  (SELECT count(*) FROM visited WHERE target IS NOT NULL),
  (SELECT count(*) FROM old) >= $7 OR coalesce((SELECT max(pieces_before) >= $8 FROM old), false),
  last.end_time, last.seq
FROM (SELECT end_time, seq FROM visited UNION ALL SELECT $5, $6
      ORDER BY end_time DESC, seq DESC LIMIT 1) AS last

-- The rows of a usage report over the intervals between the edges $2.
--
-- Only `counted` reads the ledger: it has the intervals in which TRES were used at a constant
-- rate; everything else works on those. For rolled-up usage, amounts are rates, and the factor
-- includes the length of the bucket.
--
-- The buckets of an interval are found by binary search, so that the cost depends on the buckets
-- that it overlaps. A page begins after the row ($13 bucket, from 0; $14 account; $15 user; $16
-- qos); NULL = at the beginning. Usage before that bucket is not read.
-- Wall time and billing (0 and 5, Slurm's number) come before the TRES submitted;
-- a `billing` among those is not the price.
-- By job ($20) a row also has the job, where its latest record ran, and from when to when its
-- records were; $21 are the jobs asked for, $22 is the job of the row that a page begins after.
-- By association ($23) there are no pages.
-- $1 is given by a SELECT, so that the planner takes the cluster for one of average size: see
-- storage/database/key_range.h.
-- Where $18 is given, only records of that user and those of the accounts $19 are there.
WITH counted AS (
  SELECT u.start_time, u.end_time, u.association_id, u.user_name, u.qos_id,
    u.tres_ids, u.tres_counts, u.billing_rate, 1::double precision AS wall_rate,
    u.job_id, u.partition,
    CASE WHEN $6 THEN u.usage_factor ELSE 1 END AS factor
  FROM priorityd.counted_usage_upto($7::bigint) u
  WHERE u.cluster_id = (SELECT $1::integer) AND u.start_time < u.end_time
    AND u.start_time < ($2::timestamptz[])[cardinality($2::timestamptz[])]
    AND u.end_time > ($2::timestamptz[])[coalesce($13::integer, 0) + 1]
  UNION ALL
  SELECT b.start_time, b.end_time, b.association_id, b.user_name, b.qos_id,
    b.tres_ids, b.tres_seconds, b.billing_seconds, b.wall_seconds, '', '',
    CASE WHEN $6 THEN b.usage_factor ELSE 1 END / date_part('epoch', b.end_time - b.start_time)
  FROM priorityd.usage_bucket b
  WHERE b.cluster_id = (SELECT $1::integer) AND b.start_time < b.end_time
    AND b.start_time < ($2::timestamptz[])[cardinality($2::timestamptz[])]
    AND b.end_time > ($2::timestamptz[])[coalesce($13::integer, 0) + 1]),
used AS (
  SELECT bucket, CASE WHEN $3 THEN a.account ELSE '' END AS account,
    CASE WHEN $4 THEN c.user_name ELSE '' END AS user_name,
    CASE WHEN $5 THEN coalesce(q.name, '') ELSE '' END AS qos,
    CASE WHEN $20 THEN c.job_id ELSE '' END AS job_id,
    CASE WHEN $23 THEN a.id ELSE 0 END AS association_id, t.tres_id,
    sum(micros * t.count * c.factor) / 1e6 AS seconds,
    min(c.start_time) FILTER (WHERE $20) AS first_start,
    max(c.end_time) FILTER (WHERE $20) AS last_end,
    (array_agg(c.partition ORDER BY c.end_time DESC) FILTER (WHERE $20))[1] AS partition
  FROM counted c
  JOIN priorityd.association a ON a.cluster_id = (SELECT $1::integer) AND a.id = c.association_id
  LEFT JOIN priorityd.qos q ON q.cluster_id = (SELECT $1::integer) AND q.id = c.qos_id
  CROSS JOIN LATERAL generate_series(
    greatest(width_bucket(c.start_time, $2::timestamptz[]), coalesce($13::integer, 0) + 1),
    least(width_bucket(c.end_time - interval '1 microsecond', $2::timestamptz[]),
          cardinality($2::timestamptz[]) - 1)) AS bucket
  CROSS JOIN LATERAL (
    SELECT (extract(epoch FROM least(c.end_time, ($2::timestamptz[])[bucket + 1]) -
                               greatest(c.start_time, ($2::timestamptz[])[bucket]))
            * 1000000)::bigint AS micros) AS part
  CROSS JOIN LATERAL unnest(ARRAY[0, 5] || c.tres_ids,
                            ARRAY[c.wall_rate, c.billing_rate] || c.tres_counts)
    WITH ORDINALITY AS t (tres_id, count, place)
  WHERE ($8::text[] = '{}' OR a.account = ANY($8::text[]))
    AND ($9::text[] = '{}' OR c.user_name = ANY($9::text[]))
    AND ($10::text[] = '{}' OR q.name = ANY($10::text[]))
    AND ($21::text[] = '{}' OR c.job_id = ANY($21::text[]))
    AND ($18::text IS NULL OR (c.user_name = $18::text AND c.user_name <> '')
      OR a.account = ANY($19::text[]))
    AND (t.place <= 2 OR t.tres_id <> 5)
    AND ($11::boolean OR t.tres_id = 0 OR t.tres_id = ANY($12::integer[]))
  GROUP BY 1, 2, 3, 4, 5, 6, 7)
SELECT bucket - 1, account, user_name, qos,
  array_agg(tres_id ORDER BY tres_id), array_agg(seconds ORDER BY tres_id),
  job_id, coalesce(min(partition), ''), min(first_start), max(last_end), association_id
FROM used
WHERE $13::integer IS NULL
  OR (bucket - 1, account COLLATE "C", user_name COLLATE "C", qos COLLATE "C", job_id COLLATE "C")
    > ($13::integer, $14::text, $15::text, $16::text, $22::text)
GROUP BY bucket, account, user_name, qos, job_id, association_id
ORDER BY bucket, account COLLATE "C", user_name COLLATE "C", qos COLLATE "C", job_id COLLATE "C"
LIMIT $17::bigint

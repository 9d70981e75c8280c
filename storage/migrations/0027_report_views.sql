-- compatible-from: 15
-- What dashboards read by SQL: views of a schema of their own, whose columns stay, and a role that may
-- read them and nothing else. docs/reports-sql.md describes each. A later migration that changes what a
-- view is made from makes the view anew, with the same columns.

CREATE SCHEMA IF NOT EXISTS priorityd_report;

CREATE VIEW priorityd_report.cluster AS
SELECT c.name AS cluster, c.created_at, c.nodes, c.cpus,
  s.generation, s.computed_at, s.published_at, s.policy_version
FROM priorityd.cluster c
LEFT JOIN LATERAL (
  SELECT n.generation, n.computed_at, n.published_at, n.policy_version FROM priorityd.snapshot n
  WHERE n.cluster_id = c.id ORDER BY n.generation DESC LIMIT 1) AS s ON true
WHERE c.former_name IS NULL;

CREATE VIEW priorityd_report.recalculation AS
SELECT c.name AS cluster, s.generation, s.computed_at, s.published_at, s.policy_version
FROM priorityd.cluster c JOIN priorityd.snapshot s ON s.cluster_id = c.id
WHERE c.former_name IS NULL;

CREATE VIEW priorityd_report.policy_version AS
SELECT c.name AS cluster, v.version, v.applied_at, v.applied_by, v.comment, v.file_names
FROM priorityd.cluster c JOIN priorityd.policy_version v ON v.cluster_id = c.id
WHERE c.former_name IS NULL;

CREATE VIEW priorityd_report.audit_event AS
SELECT coalesce(c.name, '') AS cluster, e.id, e.at, e.principal, e.action, e.object, e.before,
  e.after, e.comment
FROM priorityd.audit_event e LEFT JOIN priorityd.cluster c ON c.id = e.cluster_id
WHERE c.former_name IS NULL;

-- By the keys of factor_sample and factor_history: one look for each association, and one for root.
CREATE VIEW priorityd_report.share AS
SELECT c.name AS cluster, a.id AS association_id, a.account,
  coalesce(p.account, '') AS parent_account, a.user_name, a.partition,
  a.raw_shares, a.raw_shares IS NULL AS parent_shares,
  n.sampled_at, h.raw_usage,
  CASE WHEN rh.raw_usage > 0 THEN h.raw_usage / rh.raw_usage ELSE h.raw_usage * 0 END AS norm_usage,
  h.fair_share
FROM priorityd.cluster c
JOIN priorityd.association a ON a.cluster_id = c.id AND a.deleted_at IS NULL
LEFT JOIN priorityd.association p ON p.cluster_id = c.id AND p.id = a.parent_id
LEFT JOIN LATERAL (
  SELECT s.sampled_at FROM priorityd.factor_sample s
  WHERE s.cluster_id = c.id ORDER BY s.sampled_at DESC LIMIT 1) AS n ON true
LEFT JOIN priorityd.factor_history h
  ON h.cluster_id = c.id AND h.association_id = a.id AND h.sampled_at = n.sampled_at
LEFT JOIN priorityd.association r ON r.cluster_id = c.id AND r.account = 'root'
  AND r.user_name = '' AND r.partition = '' AND r.deleted_at IS NULL
LEFT JOIN priorityd.factor_history rh
  ON rh.cluster_id = c.id AND rh.association_id = r.id AND rh.sampled_at = n.sampled_at
WHERE c.former_name IS NULL;

-- The part of the whole cluster that is allocated to each, as AssociationTree::path_norm_shares has
-- it: of the shares of all that have the same fair-share parent, which is the nearest above whose
-- shares are not `parent`, times that one's part. It reads a cluster's whole tree.
CREATE VIEW priorityd_report.allocation AS
SELECT c.name AS cluster, p.association_id, p.account, p.user_name, p.partition, p.path_norm_shares
FROM priorityd.cluster c
CROSS JOIN LATERAL (
  WITH RECURSIVE tree AS (
    SELECT a.id, NULL::bigint AS fair_share_parent, a.id AS anchor, a.account, a.user_name,
      a.partition, a.raw_shares
    FROM priorityd.association a
    WHERE a.cluster_id = c.id AND a.parent_id IS NULL AND a.deleted_at IS NULL
    UNION ALL
    SELECT a.id, t.anchor, CASE WHEN a.raw_shares IS NULL THEN t.anchor ELSE a.id END, a.account,
      a.user_name, a.partition, a.raw_shares
    FROM tree t
    JOIN priorityd.association a
      ON a.cluster_id = c.id AND a.parent_id = t.id AND a.deleted_at IS NULL),
  level AS (
    SELECT fair_share_parent, sum(raw_shares)::double precision AS shares
    FROM tree GROUP BY fair_share_parent),
  path AS (
    SELECT id, 1::double precision AS part FROM tree WHERE fair_share_parent IS NULL
    UNION ALL
    SELECT t.id, CASE WHEN t.raw_shares IS NULL THEN p.part
                      WHEN l.shares = 0 THEN 0
                      ELSE t.raw_shares / l.shares * p.part END
    FROM path p
    JOIN tree t ON t.fair_share_parent = p.id
    JOIN level l ON l.fair_share_parent = p.id)
  SELECT t.id AS association_id, t.account, t.user_name, t.partition, p.part AS path_norm_shares
  FROM tree t JOIN path p ON p.id = t.id) AS p
WHERE c.former_name IS NULL;

CREATE VIEW priorityd_report.share_history AS
SELECT c.name AS cluster, h.sampled_at, h.association_id, a.account, a.user_name, a.partition,
  h.raw_usage,
  CASE WHEN rh.raw_usage > 0 THEN h.raw_usage / rh.raw_usage ELSE h.raw_usage * 0 END AS norm_usage,
  h.fair_share
FROM priorityd.cluster c
JOIN priorityd.factor_history h ON h.cluster_id = c.id
JOIN priorityd.association a ON a.cluster_id = c.id AND a.id = h.association_id
LEFT JOIN priorityd.association r ON r.cluster_id = c.id AND r.account = 'root'
  AND r.user_name = '' AND r.partition = '' AND r.deleted_at IS NULL
LEFT JOIN priorityd.factor_history rh
  ON rh.cluster_id = c.id AND rh.association_id = r.id AND rh.sampled_at = h.sampled_at
WHERE c.former_name IS NULL;

-- Days are those of the session's TimeZone. A condition on `day` picks days before any record is
-- read; each day reads its records by the block range index on time, as reports do. A record counts as
-- in statements/usage_report.sql: its TRES times the whole microseconds it has in a day.
CREATE VIEW priorityd_report.usage_by_day AS
SELECT c.name AS cluster, d.day, u.account, u.user_name, u.tres, u.tres_seconds
FROM priorityd.cluster c
CROSS JOIN LATERAL (
  SELECT midnight::timestamptz AS day, (midnight + interval '1 day')::timestamptz AS next_day
  FROM generate_series(timestamp '2000-01-01', localtimestamp, interval '1 day') AS midnight) AS d
CROSS JOIN LATERAL (
  SELECT a.account, s.user_name, coalesce(t.name, 'wall') AS tres,
    sum(s.micros * x.amount) / 1e6 AS tres_seconds
  FROM (
    SELECT r.association_id, r.user_name, r.tres_ids, r.tres_counts AS rates, r.billing_rate,
      1::double precision AS wall_rate,
      (extract(epoch FROM least(r.end_time, d.next_day) - greatest(r.start_time, d.day))
        * 1000000)::bigint AS micros
    FROM priorityd.counted_usage r
    WHERE r.cluster_id = c.id AND r.start_time < r.end_time
      AND r.start_time < d.next_day AND r.end_time > d.day
    UNION ALL
    -- Of a bucket the amounts are those of its whole length.
    SELECT b.association_id, b.user_name, b.tres_ids, b.tres_seconds, b.billing_seconds,
      b.wall_seconds,
      (extract(epoch FROM least(b.end_time, d.next_day) - greatest(b.start_time, d.day)) * 1000000)
        / date_part('epoch', b.end_time - b.start_time)
    FROM priorityd.usage_bucket b
    WHERE b.cluster_id = c.id AND b.start_time < b.end_time
      AND b.start_time < d.next_day AND b.end_time > d.day) AS s
  JOIN priorityd.association a ON a.cluster_id = c.id AND a.id = s.association_id
  -- 0 is wall time and 5 the price, which a `billing` among those submitted is not.
  CROSS JOIN LATERAL unnest(ARRAY[0, 5] || s.tres_ids,
                            ARRAY[s.wall_rate, s.billing_rate] || s.rates)
    WITH ORDINALITY AS x (tres_id, amount, place)
  LEFT JOIN priorityd.tres t ON t.id = x.tres_id
  WHERE x.place <= 2 OR x.tres_id <> 5
  GROUP BY 1, 2, 3) AS u
WHERE c.former_name IS NULL;

CREATE VIEW priorityd_report.job AS
SELECT c.name AS cluster, j.job_id, j.name, j.user_name,
  coalesce(nullif(j.account, ''), u.default_account, '') AS account, j.partitions, j.qos, j.state,
  j.hold, j.dependency, j.dependency_unmet, j.submit_time, j.eligible_time, j.start_time,
  j.time_limit_us * interval '1 microsecond' AS time_limit, j.nodes, j.cpus,
  (SELECT coalesce(jsonb_object_agg(name, count), '{}')
   FROM unnest(j.tres_names, j.tres_counts) AS t (name, count)) AS tres,
  j.nice, j.site_factor, j.admin_priority, j.reservation, j.array_job_id, j.array_task_id,
  j.array_task_ids, j.array_tasks, j.source
FROM priorityd.cluster c
JOIN priorityd.job j ON j.cluster_id = c.id AND j.ended_as = ''
LEFT JOIN priorityd.cluster_user u ON u.cluster_id = c.id AND u.name = j.user_name
WHERE c.former_name IS NULL;

CREATE VIEW priorityd_report.budget_event AS
SELECT c.name AS cluster, e.id, e.reached_at, e.account, e.user_name, e.partition, e.qos,
  coalesce(nullif(e.tres, ''), 'wall') AS tres, e.percent, e.limit_seconds, e.used_seconds
FROM priorityd.cluster c JOIN priorityd.budget_event e ON e.cluster_id = c.id
WHERE c.former_name IS NULL;

CREATE VIEW priorityd_report.budget AS
SELECT c.name AS cluster, l.account, l.user_name, l.partition, l.qos, l.tres, l.limit_seconds,
  e.percent AS reached_percent, e.used_seconds AS reached_used_seconds, e.reached_at
FROM priorityd.cluster c
CROSS JOIN LATERAL (
  SELECT a.account, a.user_name, a.partition, '' AS qos, t.name AS tres,
    60 * t.minutes AS limit_seconds
  FROM priorityd.association a
  CROSS JOIN LATERAL unnest(a.grp_tres_mins_names || 'wall'::text,
                            a.grp_tres_mins_amounts || a.grp_wall_minutes) AS t (name, minutes)
  WHERE a.cluster_id = c.id AND a.deleted_at IS NULL AND t.minutes IS NOT NULL
  UNION ALL
  SELECT '', '', '', q.name, t.name, 60 * t.minutes
  FROM priorityd.qos q
  CROSS JOIN LATERAL unnest(q.grp_tres_mins_names || 'wall'::text,
                            q.grp_tres_mins_amounts || q.grp_wall_minutes) AS t (name, minutes)
  WHERE q.cluster_id = c.id AND q.deleted_at IS NULL AND t.minutes IS NOT NULL) AS l
LEFT JOIN LATERAL (
  SELECT n.percent, n.used_seconds, n.reached_at FROM priorityd.budget_event n
  WHERE n.cluster_id = c.id AND n.account = l.account AND n.user_name = l.user_name
    AND n.partition = l.partition AND n.qos = l.qos
    AND n.tres = CASE l.tres WHEN 'wall' THEN '' ELSE l.tres END
  ORDER BY n.id DESC LIMIT 1) AS e ON true
WHERE c.former_name IS NULL;

-- A role is of all databases of a server, and not everybody may make one: where priorityd may not, an
-- administrator does, and grants what is granted here.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'priorityd_report') THEN
    CREATE ROLE priorityd_report NOLOGIN;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation OR insufficient_privilege THEN NULL;
END $$;
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'priorityd_report') THEN
    GRANT USAGE ON SCHEMA priorityd_report TO priorityd_report;
    GRANT SELECT ON ALL TABLES IN SCHEMA priorityd_report TO priorityd_report;
    ALTER DEFAULT PRIVILEGES IN SCHEMA priorityd_report GRANT SELECT ON TABLES TO priorityd_report;
  END IF;
END $$;

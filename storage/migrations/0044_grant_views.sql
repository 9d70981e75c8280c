-- compatible-from: 15
-- Grants for dashboards, as far as tables have them: what is available in a window and left of it is
-- computed from these by the program.
CREATE VIEW priorityd_report.usage_grant AS
SELECT c.name AS cluster, g.name AS grant_name, g.accounts, g.user_name, g.tres, g.begin_time,
  nullif(g.end_time, 'infinity') AS end_time, g.revoked_at, g.window_kind,
  nullif(g.rolling_days, 0) AS rolling_days, v.amount AS newest_amount_seconds,
  g.carry_over / 1e6 AS carry_over, g.carry_cap / 1e6 AS carry_over_cap,
  g.carry_windows AS carry_over_windows,
  g.carry_half_life_us * interval '1 microsecond' AS carry_over_half_life,
  g.borrow / 1e6 AS borrow, g.grace / 1e6 AS grace, g.use_order, g.consequence, g.demoted_qos
FROM priorityd.cluster c
JOIN priorityd.usage_grant g ON g.cluster_id = c.id
LEFT JOIN LATERAL (
  SELECT n.amount FROM priorityd.usage_grant_version n
  WHERE n.cluster_id = c.id AND n.grant_id = g.id ORDER BY n.number DESC LIMIT 1) AS v ON true
WHERE c.former_name IS NULL;

CREATE VIEW priorityd_report.usage_grant_version AS
SELECT c.name AS cluster, g.name AS grant_name, v.number, v.effective_at,
  v.amount AS amount_seconds, v.changed_by, v.comment
FROM priorityd.cluster c
JOIN priorityd.usage_grant g ON g.cluster_id = c.id
JOIN priorityd.usage_grant_version v ON v.cluster_id = c.id AND v.grant_id = g.id
WHERE c.former_name IS NULL;

CREATE VIEW priorityd_report.usage_grant_transfer AS
SELECT c.name AS cluster, t.id, f.name AS from_grant, g.name AS to_grant, t.transferred_at,
  t.amount AS amount_seconds, t.changed_by, t.comment
FROM priorityd.cluster c
JOIN priorityd.usage_grant_transfer t ON t.cluster_id = c.id
JOIN priorityd.usage_grant f ON f.cluster_id = c.id AND f.id = t.from_id
JOIN priorityd.usage_grant g ON g.cluster_id = c.id AND g.id = t.to_id
WHERE c.former_name IS NULL;

CREATE VIEW priorityd_report.grant_owner_usage AS
SELECT c.name AS cluster, p.accounts, p.user_name, p.tres, d.begin_time,
  nullif(d.end_time, 'infinity') AS end_time, d.used AS used_seconds, p.is_stale
FROM priorityd.cluster c
JOIN priorityd.usage_pool p ON p.cluster_id = c.id
JOIN priorityd.usage_pool_period d ON d.cluster_id = c.id AND d.pool_id = p.id
WHERE c.former_name IS NULL;

-- Where an administrator made the role after the first views, no default gives it these.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'priorityd_report') THEN
    GRANT SELECT ON ALL TABLES IN SCHEMA priorityd_report TO priorityd_report;
  END IF;
END $$;

-- compatible-from: 15
-- How far a consequence of a grant goes: FairShare=10% of reduce, 1000 of band, gres/gpu=8 of cap.
-- Programs before this one cannot read grants with a consequence other than none, demote and block.
ALTER TABLE priorityd.usage_grant ADD COLUMN consequence_value text NOT NULL DEFAULT '';
ALTER TABLE priorityd.grant_standing ADD COLUMN consequence_value text NOT NULL DEFAULT '',
  ADD COLUMN ends boolean NOT NULL DEFAULT false,
  ADD COLUMN has_grace boolean NOT NULL DEFAULT false,
  ADD COLUMN has_borrow boolean NOT NULL DEFAULT false,
  ADD COLUMN has_others boolean NOT NULL DEFAULT false;

CREATE OR REPLACE VIEW priorityd_report.usage_grant AS
SELECT c.name AS cluster, g.name AS grant_name, g.accounts, g.user_name, g.tres, g.begin_time,
  nullif(g.end_time, 'infinity') AS end_time, g.revoked_at, g.window_kind,
  nullif(g.rolling_days, 0) AS rolling_days, v.amount AS newest_amount_seconds,
  g.carry_over / 1e6 AS carry_over, g.carry_cap / 1e6 AS carry_over_cap,
  g.carry_windows AS carry_over_windows,
  g.carry_half_life_us * interval '1 microsecond' AS carry_over_half_life,
  g.borrow / 1e6 AS borrow, g.grace / 1e6 AS grace, g.use_order, g.consequence, g.demoted_qos,
  g.consequence_value
FROM priorityd.cluster c
JOIN priorityd.usage_grant g ON g.cluster_id = c.id
LEFT JOIN LATERAL (
  SELECT n.amount FROM priorityd.usage_grant_version n
  WHERE n.cluster_id = c.id AND n.grant_id = g.id ORDER BY n.number DESC LIMIT 1) AS v ON true
WHERE c.former_name IS NULL;

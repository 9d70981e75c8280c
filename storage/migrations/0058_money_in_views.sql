-- compatible-from: 15
-- Amounts of grants of money in the currency of their price book, beside TRES-seconds.
CREATE VIEW priorityd.price_currency AS
SELECT DISTINCT cluster_id, 'price/' || name AS tres, currency FROM priorityd.price_book;

-- With 18 decimals, of which the trailing zeros are cut off; NULL without a currency.
CREATE FUNCTION priorityd.money(tres_seconds numeric, currency text) RETURNS numeric
LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT trim_scale(trunc((tres_seconds + 0.00000000000000000000) / 3600, 18));
$$;

CREATE OR REPLACE VIEW priorityd_report.usage_grant AS
SELECT c.name AS cluster, g.name AS grant_name, g.accounts, g.user_name, g.tres, g.begin_time,
  nullif(g.end_time, 'infinity') AS end_time, g.revoked_at, g.window_kind,
  nullif(g.rolling_days, 0) AS rolling_days, v.amount AS newest_amount_seconds,
  g.carry_over / 1e6 AS carry_over, g.carry_cap / 1e6 AS carry_over_cap,
  g.carry_windows AS carry_over_windows,
  g.carry_half_life_us * interval '1 microsecond' AS carry_over_half_life,
  g.borrow / 1e6 AS borrow, g.grace / 1e6 AS grace, g.use_order, g.consequence, g.demoted_qos,
  g.consequence_value, p.currency, priorityd.money(v.amount, p.currency) AS newest_amount_money
FROM priorityd.cluster c
JOIN priorityd.usage_grant g ON g.cluster_id = c.id
LEFT JOIN priorityd.price_currency p ON p.cluster_id = c.id AND p.tres = g.tres
LEFT JOIN LATERAL (
  SELECT n.amount FROM priorityd.usage_grant_version n
  WHERE n.cluster_id = c.id AND n.grant_id = g.id ORDER BY n.number DESC LIMIT 1) AS v ON true
WHERE c.former_name IS NULL;

CREATE OR REPLACE VIEW priorityd_report.usage_grant_version AS
SELECT c.name AS cluster, g.name AS grant_name, v.number, v.effective_at,
  v.amount AS amount_seconds, v.changed_by, v.comment, p.currency,
  priorityd.money(v.amount, p.currency) AS amount_money
FROM priorityd.cluster c
JOIN priorityd.usage_grant g ON g.cluster_id = c.id
JOIN priorityd.usage_grant_version v ON v.cluster_id = c.id AND v.grant_id = g.id
LEFT JOIN priorityd.price_currency p ON p.cluster_id = c.id AND p.tres = g.tres
WHERE c.former_name IS NULL;

CREATE OR REPLACE VIEW priorityd_report.usage_grant_transfer AS
SELECT c.name AS cluster, t.id, f.name AS from_grant, g.name AS to_grant, t.transferred_at,
  t.amount AS amount_seconds, t.changed_by, t.comment, p.currency,
  priorityd.money(t.amount, p.currency) AS amount_money
FROM priorityd.cluster c
JOIN priorityd.usage_grant_transfer t ON t.cluster_id = c.id
JOIN priorityd.usage_grant f ON f.cluster_id = c.id AND f.id = t.from_id
JOIN priorityd.usage_grant g ON g.cluster_id = c.id AND g.id = t.to_id
LEFT JOIN priorityd.price_currency p ON p.cluster_id = c.id AND p.tres = f.tres
WHERE c.former_name IS NULL;

CREATE OR REPLACE VIEW priorityd_report.grant_owner_usage AS
SELECT c.name AS cluster, o.accounts, o.user_name, o.tres, d.begin_time,
  nullif(d.end_time, 'infinity') AS end_time, d.used AS used_seconds, o.is_stale, p.currency,
  priorityd.money(d.used, p.currency) AS used_money
FROM priorityd.cluster c
JOIN priorityd.usage_pool o ON o.cluster_id = c.id
JOIN priorityd.usage_pool_period d ON d.cluster_id = c.id AND d.pool_id = o.id
LEFT JOIN priorityd.price_currency p ON p.cluster_id = c.id AND p.tres = o.tres
WHERE c.former_name IS NULL;

CREATE OR REPLACE VIEW priorityd_report.budget_event AS
SELECT c.name AS cluster, e.id, e.reached_at, e.account, e.user_name, e.partition, e.qos,
  coalesce(nullif(e.tres, ''), 'wall') AS tres, e.percent, e.limit_seconds, e.used_seconds,
  e.grant_name, p.currency,
  CASE WHEN p.currency IS NOT NULL THEN e.limit_seconds / 3600 END AS limit_money,
  CASE WHEN p.currency IS NOT NULL THEN e.used_seconds / 3600 END AS used_money
FROM priorityd.cluster c JOIN priorityd.budget_event e ON e.cluster_id = c.id
LEFT JOIN priorityd.price_currency p ON p.cluster_id = c.id AND p.tres = e.tres
WHERE c.former_name IS NULL;

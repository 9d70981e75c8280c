-- compatible-from: 15
-- Grants: what accounts or a user may use of a TRES in windows of time. Amounts are in TRES-seconds,
-- exact; parts are in millionths.
CREATE TABLE priorityd.usage_grant (
  id bigint GENERATED ALWAYS AS IDENTITY,
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  name text NOT NULL CHECK (name <> ''),
  accounts text[] NOT NULL,  -- Ascending.
  user_name text NOT NULL,  -- '' = everybody in the accounts.
  tres text NOT NULL,
  begin_time timestamptz NOT NULL,
  end_time timestamptz NOT NULL,  -- 'infinity' = until it is revoked.
  window_kind text NOT NULL,
  rolling_days integer NOT NULL,
  carry_over bigint NOT NULL,
  carry_cap bigint,
  carry_windows integer NOT NULL,
  carry_half_life_us bigint,
  borrow bigint NOT NULL,
  grace bigint NOT NULL,
  use_order bigint NOT NULL,
  consequence text NOT NULL,
  demoted_qos text NOT NULL,
  revoked_at timestamptz,  -- It is kept for its statement.
  PRIMARY KEY (cluster_id, id),
  UNIQUE (cluster_id, name),
  CHECK (begin_time < end_time)
);

-- The amount of a window from the window of effective_at on. Versions are added, never changed.
CREATE TABLE priorityd.usage_grant_version (
  cluster_id integer NOT NULL,
  grant_id bigint NOT NULL,
  number integer NOT NULL,  -- From 1.
  effective_at timestamptz NOT NULL,
  amount numeric NOT NULL CHECK (amount > 0),
  changed_by text NOT NULL,
  comment text NOT NULL,
  PRIMARY KEY (cluster_id, grant_id, number),
  FOREIGN KEY (cluster_id, grant_id) REFERENCES priorityd.usage_grant (cluster_id, id)
    ON DELETE CASCADE
);

CREATE TABLE priorityd.usage_grant_transfer (
  id bigint GENERATED ALWAYS AS IDENTITY,
  cluster_id integer NOT NULL,
  from_id bigint NOT NULL,
  to_id bigint NOT NULL,
  transferred_at timestamptz NOT NULL,
  amount numeric NOT NULL CHECK (amount > 0),
  changed_by text NOT NULL,
  comment text NOT NULL,
  PRIMARY KEY (cluster_id, id),
  FOREIGN KEY (cluster_id, from_id) REFERENCES priorityd.usage_grant (cluster_id, id)
    ON DELETE CASCADE,
  FOREIGN KEY (cluster_id, to_id) REFERENCES priorityd.usage_grant (cluster_id, id)
    ON DELETE CASCADE
);

-- The usage of an owner of grants, which recalculations settle from the ledger: each record up to
-- settled_seq is in it once. A stale one is summed up again.
CREATE TABLE priorityd.usage_pool (
  id bigint GENERATED ALWAYS AS IDENTITY,
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  accounts text[] NOT NULL,
  user_name text NOT NULL,
  tres text NOT NULL,
  settled_seq bigint NOT NULL,
  is_stale boolean NOT NULL DEFAULT false,
  PRIMARY KEY (cluster_id, id)  -- Accounts, user and TRES are unique too, but too long for an index.
);

-- Consecutive; the last one ends at 'infinity'.
CREATE TABLE priorityd.usage_pool_period (
  cluster_id integer NOT NULL,
  pool_id bigint NOT NULL,
  begin_time timestamptz NOT NULL,
  end_time timestamptz NOT NULL,
  used numeric NOT NULL,
  PRIMARY KEY (cluster_id, pool_id, begin_time),
  FOREIGN KEY (cluster_id, pool_id) REFERENCES priorityd.usage_pool (cluster_id, id)
    ON DELETE CASCADE,
  CHECK (begin_time < end_time)
);

-- What the newest snapshot knows of grants with a consequence.
CREATE TABLE priorityd.grant_standing (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  place bigint NOT NULL,
  name text NOT NULL,
  accounts text[] NOT NULL,
  user_name text NOT NULL,
  tres text NOT NULL,
  available double precision NOT NULL,
  used double precision NOT NULL,
  until_time timestamptz NOT NULL,
  consequence text NOT NULL,
  demoted_qos text NOT NULL,
  PRIMARY KEY (cluster_id, place)
);

-- Thresholds of grants; '' = of a limit on usage. grant_window: the begin of the window and what was
-- available in it; another one is reported again.
ALTER TABLE priorityd.budget_event ADD COLUMN grant_name text NOT NULL DEFAULT '';
ALTER TABLE priorityd.budget_told ADD COLUMN grant_name text NOT NULL DEFAULT '';
ALTER TABLE priorityd.budget_told ADD COLUMN grant_window text NOT NULL DEFAULT '';
ALTER TABLE priorityd.budget_told DROP CONSTRAINT budget_told_pkey,
  ADD PRIMARY KEY (cluster_id, account, user_name, partition, qos, tres, percent, grant_name,
                   grant_window);
CREATE OR REPLACE VIEW priorityd_report.budget_event AS
SELECT c.name AS cluster, e.id, e.reached_at, e.account, e.user_name, e.partition, e.qos,
  coalesce(nullif(e.tres, ''), 'wall') AS tres, e.percent, e.limit_seconds, e.used_seconds,
  e.grant_name
FROM priorityd.cluster c JOIN priorityd.budget_event e ON e.cluster_id = c.id
WHERE c.former_name IS NULL;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['usage_grant', 'usage_grant_version', 'usage_grant_transfer'] LOOP
    EXECUTE format(
      'CREATE TRIGGER count_insert AFTER INSERT ON priorityd.%1$I '
      'REFERENCING NEW TABLE AS changed '
      'FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change(); '
      'CREATE TRIGGER count_update AFTER UPDATE ON priorityd.%1$I '
      'REFERENCING NEW TABLE AS changed '
      'FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change(); '
      'CREATE TRIGGER count_delete AFTER DELETE ON priorityd.%1$I '
      'REFERENCING OLD TABLE AS changed '
      'FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change()', name);
  END LOOP;
END $$;

-- An account that moves takes its usage along.
-- A plan that was made for a few changed rows is kept for many.
CREATE FUNCTION priorityd.mark_usage_pools_stale() RETURNS trigger LANGUAGE plpgsql
SET enable_nestloop = off AS $$
BEGIN
  IF EXISTS (SELECT FROM priorityd.usage_pool) THEN
    UPDATE priorityd.usage_pool SET is_stale = true WHERE cluster_id IN (
      SELECT a.cluster_id FROM after_change a JOIN before_change b USING (cluster_id, id)
      WHERE a.parent_id IS DISTINCT FROM b.parent_id);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_usage_pools_stale AFTER UPDATE ON priorityd.association
  REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.mark_usage_pools_stale();

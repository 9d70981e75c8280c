-- compatible-from: 15
-- Leases: settings of associations, users, QOS and partitions with an end. The tables of these
-- objects keep the base values; a recalculation folds the leases of its time over them.
CREATE TABLE priorityd.setting_lease (
  id bigint GENERATED ALWAYS AS IDENTITY,
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  kind text NOT NULL,  -- association, user, qos or partition.
  -- The object's key; '' = not part of it.
  account text NOT NULL,
  user_name text NOT NULL,
  partition text NOT NULL,
  qos text NOT NULL,
  object text NOT NULL,  -- The same as a text, such as `account chem`.
  -- As the verb takes them: names, operators (=, += or -=), values.
  setting_names text[] NOT NULL,
  setting_operators text[] NOT NULL,
  setting_values text[] NOT NULL,
  begin_time timestamptz NOT NULL,
  end_time timestamptz NOT NULL,
  created_by text NOT NULL,
  comment text NOT NULL,
  ended_at timestamptz,  -- Before end_time, by EndLeases; at or before begin_time = cancelled.
  ended_by text NOT NULL DEFAULT '',
  -- Whether a recalculation has passed the begin and the end, which it audits once.
  begin_passed boolean NOT NULL DEFAULT false,
  end_passed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (cluster_id, id),
  CHECK (begin_time < end_time)
);
-- Those that may still change something.
CREATE INDEX setting_lease_open ON priorityd.setting_lease (cluster_id, object)
  WHERE NOT end_passed;

-- Those that the newest snapshot was computed from.
CREATE TABLE priorityd.published_setting_lease (
  LIKE priorityd.setting_lease,
  PRIMARY KEY (cluster_id, id),
  FOREIGN KEY (cluster_id) REFERENCES priorityd.cluster (id) ON DELETE CASCADE
);

CREATE TRIGGER count_insert AFTER INSERT ON priorityd.setting_lease
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change();

-- What a recalculation notes of a lease is no change of the configuration; an early end is one.
CREATE FUNCTION priorityd.count_lease_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO priorityd.configuration_revision AS r (cluster_id, revision)
    SELECT DISTINCT a.cluster_id, 1 FROM after_change a JOIN before_change b USING (cluster_id, id)
      WHERE a.ended_at IS DISTINCT FROM b.ended_at ORDER BY a.cluster_id
    ON CONFLICT (cluster_id) DO UPDATE SET revision = r.revision + 1;
  PERFORM pg_notify('priorityd', 'configuration ' || name) FROM priorityd.cluster WHERE id IN (
    SELECT a.cluster_id FROM after_change a JOIN before_change b USING (cluster_id, id)
      WHERE a.ended_at IS DISTINCT FROM b.ended_at);
  RETURN NULL;
END $$;
CREATE TRIGGER count_update AFTER UPDATE ON priorityd.setting_lease
  REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_lease_end();

CREATE VIEW priorityd_report.lease AS
SELECT c.name AS cluster, l.id, l.kind, l.object, l.setting_names, l.setting_operators,
  l.setting_values, l.begin_time, least(l.end_time, l.ended_at) AS end_time,
  coalesce(l.ended_at <= l.begin_time, false) AS is_cancelled, l.created_by, l.comment, l.ended_by
FROM priorityd.cluster c JOIN priorityd.setting_lease l ON l.cluster_id = c.id
WHERE c.former_name IS NULL;

-- Where an administrator made the role after the first views, no default gives it this one.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'priorityd_report') THEN
    GRANT SELECT ON ALL TABLES IN SCHEMA priorityd_report TO priorityd_report;
  END IF;
END $$;

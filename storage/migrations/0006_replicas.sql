-- Several replicas on one database: who leads, what it published, and what the
-- others need to serve the very same numbers.

-- Who recalculates. The epoch counts the leaders; publishing checks it. It is
-- unique so that who publishes can hold it FOR KEY SHARE, which keeps a new
-- epoch out but not a renewal.
CREATE TABLE priorityd.leader_lease (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  epoch bigint NOT NULL UNIQUE,
  holder text NOT NULL,
  expires_at timestamptz NOT NULL
);
INSERT INTO priorityd.leader_lease (epoch, holder, expires_at) VALUES (0, '', '-infinity');

-- Counts the changes of a cluster's configuration: associations, users, QOS,
-- partitions, policies, half-lives, the cluster's own totals. Triggers count, and
-- wake the replicas.
CREATE TABLE priorityd.configuration_revision (
  cluster_id integer PRIMARY KEY REFERENCES priorityd.cluster (id),
  revision bigint NOT NULL
);

CREATE FUNCTION priorityd.count_configuration_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'cluster' THEN
    INSERT INTO priorityd.configuration_revision AS r (cluster_id, revision)
      SELECT id, 1 FROM changed ORDER BY id
      ON CONFLICT (cluster_id) DO UPDATE SET revision = r.revision + 1;
  ELSE
    INSERT INTO priorityd.configuration_revision AS r (cluster_id, revision)
      SELECT DISTINCT cluster_id, 1 FROM changed ORDER BY cluster_id
      ON CONFLICT (cluster_id) DO UPDATE SET revision = r.revision + 1;
  END IF;
  PERFORM pg_notify('priorityd', '');
  RETURN NULL;
END $$;

CREATE TRIGGER count_insert AFTER INSERT ON priorityd.cluster
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change();
CREATE TRIGGER count_update AFTER UPDATE ON priorityd.cluster
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change();

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY
      ARRAY['association', 'cluster_user', 'qos', 'partition', 'policy_version', 'half_life'] LOOP
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

-- The configuration that the newest snapshot was computed from, kept apart
-- because later changes take effect with a later snapshot only. Each table has
-- the columns of the one it copies; a column added there is added here too.
CREATE TABLE priorityd.published_configuration (
  cluster_id integer PRIMARY KEY REFERENCES priorityd.cluster (id),
  revision bigint NOT NULL
);
CREATE TABLE priorityd.published_cluster (LIKE priorityd.cluster, PRIMARY KEY (id));
CREATE TABLE priorityd.published_association
  (LIKE priorityd.association, PRIMARY KEY (cluster_id, id));
CREATE TABLE priorityd.published_cluster_user
  (LIKE priorityd.cluster_user, PRIMARY KEY (cluster_id, name));
CREATE TABLE priorityd.published_qos (LIKE priorityd.qos, PRIMARY KEY (cluster_id, id));
CREATE TABLE priorityd.published_partition
  (LIKE priorityd.partition, PRIMARY KEY (cluster_id, id));
CREATE TABLE priorityd.published_half_life
  (LIKE priorityd.half_life, PRIMARY KEY (cluster_id, effective_at));

-- The newest snapshot's numbers, by association; usage is of the association
-- and everything below it, but for own_usage. level_fs is NULL where the algorithm is not Fair Tree.
-- All rows are written anew each time, so they have no foreign key: looking up
-- the cluster for each would take longer than all the rest.
CREATE TABLE priorityd.association_factor (
  cluster_id integer NOT NULL,
  association_id bigint NOT NULL,
  norm_shares double precision NOT NULL,
  own_usage double precision NOT NULL,
  raw_usage double precision NOT NULL,
  norm_usage double precision NOT NULL,
  effective_usage double precision NOT NULL,
  level_fs double precision,
  fair_share double precision NOT NULL,
  tres_ids integer[] NOT NULL,
  tres_seconds double precision[] NOT NULL,
  wall_seconds double precision NOT NULL,
  PRIMARY KEY (cluster_id, association_id),
  CHECK (cardinality(tres_ids) = cardinality(tres_seconds))
);

-- R of SLURM 2.0's linear formula, which is one number for the whole tree.
ALTER TABLE priorityd.snapshot
  ADD COLUMN linear_capacity double precision NOT NULL DEFAULT 0;

-- The same of each QOS that was used, and until when the jobs that may be running
-- were charged: what limits on usage need.
CREATE TABLE priorityd.snapshot_qos_usage (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id),
  qos_id bigint NOT NULL,
  usage double precision NOT NULL,
  tres_ids integer[] NOT NULL,
  tres_seconds double precision[] NOT NULL,
  wall_seconds double precision NOT NULL,
  PRIMARY KEY (cluster_id, qos_id),
  CHECK (cardinality(tres_ids) = cardinality(tres_seconds))
);
CREATE TABLE priorityd.snapshot_job_end (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id),
  job_id text NOT NULL,
  end_time timestamptz NOT NULL,
  PRIMARY KEY (cluster_id, job_id)
);

-- A recalculation that a replica asks the leader for. status_code is a canonical
-- code, 0 = done.
CREATE TABLE priorityd.recalculation_request (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  cluster_name text NOT NULL,
  as_of timestamptz,
  requested_at timestamptz NOT NULL DEFAULT now(),
  answered_at timestamptz,
  generation bigint,
  status_code integer,
  reason text,
  message text
);

-- Fair-share and usage over time, for plots.
CREATE TABLE priorityd.factor_sample (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id),
  sampled_at timestamptz NOT NULL,
  generation bigint NOT NULL,
  PRIMARY KEY (cluster_id, sampled_at)
);
CREATE TABLE priorityd.factor_history (
  cluster_id integer NOT NULL,
  association_id bigint NOT NULL,
  sampled_at timestamptz NOT NULL,
  raw_usage double precision NOT NULL,
  fair_share double precision NOT NULL,
  PRIMARY KEY (cluster_id, association_id, sampled_at)
);
CREATE INDEX factor_history_time ON priorityd.factor_history USING brin (sampled_at);

-- compatible-from: 15
-- That usage reached a part of a limit on usage. Names, not references: an event outlives what it
-- is about.
CREATE TABLE priorityd.budget_event (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id),
  id bigint GENERATED ALWAYS AS IDENTITY,
  account text NOT NULL,
  user_name text NOT NULL,
  partition text NOT NULL,
  qos text NOT NULL,
  tres text NOT NULL,  -- '' = GrpWall.
  percent integer NOT NULL CHECK (percent > 0),
  limit_seconds double precision NOT NULL,
  used_seconds double precision NOT NULL,
  reached_at timestamptz NOT NULL,
  PRIMARY KEY (cluster_id, id)
);
-- Which of them are not to be told again until usage has fallen.
CREATE TABLE priorityd.budget_told (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id),
  account text NOT NULL,
  user_name text NOT NULL,
  partition text NOT NULL,
  qos text NOT NULL,
  tres text NOT NULL,
  percent integer NOT NULL,
  PRIMARY KEY (cluster_id, account, user_name, partition, qos, tres, percent)
);

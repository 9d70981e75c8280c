-- compatible-from: 15
-- Jobs that are charged by what their frontends report of their ends (UsageFromJobEnd).

-- The clusters that have, or had, the parameter. Jobs that start before `since` are not charged by
-- their ends; infinity = switched off.
CREATE TABLE priorityd.job_end_since (
  cluster_id integer PRIMARY KEY REFERENCES priorityd.cluster (id),
  since timestamptz NOT NULL
);

-- The runs that are charged so: a run leaves when a record of a collector takes its place. The record
-- is the one of the ledger, (source, record_id).
CREATE TABLE priorityd.job_end (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id),
  job_id text NOT NULL,
  start_time timestamptz NOT NULL,
  end_time timestamptz NOT NULL CHECK (start_time <= end_time),
  source text NOT NULL,
  record_id text NOT NULL,
  PRIMARY KEY (cluster_id, job_id, start_time)
);
CREATE INDEX job_end_time ON priorityd.job_end (cluster_id, end_time);

-- The runs that records of collectors are of, written while a cluster has the parameter: a job whose end
-- is reported later is not charged for them. They stay when a record is corrected or voided.
CREATE TABLE priorityd.job_record (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id),
  job_id text NOT NULL,
  start_time timestamptz NOT NULL,
  end_time timestamptz NOT NULL CHECK (start_time <= end_time)
);
CREATE INDEX job_record_job ON priorityd.job_record (cluster_id, job_id, start_time);
CREATE INDEX job_record_time ON priorityd.job_record (cluster_id, end_time);

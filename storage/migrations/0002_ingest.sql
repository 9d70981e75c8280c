-- Corrections, and the counters of running jobs.

-- A record is replaced by one other at most.
CREATE UNIQUE INDEX usage_record_replaces ON priorityd.usage_record
  (cluster_id, source, replaces_record_id) WHERE replaces_record_id <> '';

-- The last counters of each job that is charged by counters: what it had used
-- from start_time to as_of, all of which is in the ledger.
CREATE TABLE priorityd.running_job (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id),
  source text NOT NULL,
  job_id text NOT NULL CHECK (job_id <> ''),
  start_time timestamptz NOT NULL,
  as_of timestamptz NOT NULL,
  tres_names text[] NOT NULL DEFAULT '{}',
  tres_seconds double precision[] NOT NULL DEFAULT '{}',
  billing_seconds double precision NOT NULL DEFAULT 0,
  PRIMARY KEY (cluster_id, source, job_id),
  CHECK (start_time <= as_of),
  CHECK (cardinality(tres_names) = cardinality(tres_seconds))
) WITH (fillfactor = 70);

-- compatible-from: 15
-- What collectors told of jobs beside their charge: a row for each record of the ledger that tells
-- something. NULL = not told. It has no reference to usage_record: programs that do not know it delete
-- records too; whoever reads it asks for the record as well.
CREATE TABLE priorityd.job_accounting (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id),
  source text NOT NULL,
  record_id text NOT NULL,
  job_id text NOT NULL CHECK (job_id <> ''),
  record_end timestamptz NOT NULL,  -- The record's end_time.
  state text,
  exit_code integer,
  exit_signal integer,
  submit_time timestamptz,
  eligible_time timestamptz,
  start_time timestamptz NOT NULL,
  end_time timestamptz NOT NULL CHECK (start_time <= end_time),
  time_limit bigint,  -- Seconds.
  total_cpu double precision,  -- Seconds.
  max_rss double precision,  -- MiB, and so is req_mem.
  req_cpus double precision,
  req_mem double precision,
  node_list text,
  PRIMARY KEY (cluster_id, source, record_id)
);
CREATE INDEX job_accounting_job ON priorityd.job_accounting (cluster_id, job_id);
CREATE INDEX job_accounting_record_end ON priorityd.job_accounting (cluster_id, record_end);

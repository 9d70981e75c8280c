-- compatible-from: 15
-- What happened to the jobs of the tracked queue, as forecasts learn it: replicas that apply these
-- rows in order have the same forecasts.
CREATE TABLE priorityd.forecast_event (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  number bigint NOT NULL,
  kind integer NOT NULL,  -- forecasts::EventKind.
  at_time bigint NOT NULL,  -- Unix time, in seconds.
  job_id text NOT NULL,  -- '' = the event is of no job.
  -- Of a job that begins to wait or that is seen first when it runs.
  cpus double precision NOT NULL,
  time_limit double precision NOT NULL,  -- Seconds; 0 = unknown.
  user_name text NOT NULL,
  account text NOT NULL,
  partition text NOT NULL,
  qos text NOT NULL,
  -- Of a job that begins to wait; NULL = unknown.
  jobs_ahead double precision,
  work_ahead double precision,
  priority double precision,
  fair_share double precision,
  held_by_limit double precision,
  PRIMARY KEY (cluster_id, number)
);

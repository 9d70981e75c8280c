-- The tracked queue: jobs that the service keeps for its frontends.

-- One row per cluster that has or had tracked jobs. Whoever changes its jobs
-- locks it, so that changes are numbered in the order in which they commit and
-- a replica that has seen change n has seen all before.
CREATE TABLE priorityd.job_queue (
  cluster_id integer PRIMARY KEY REFERENCES priorityd.cluster (id),
  last_change bigint NOT NULL DEFAULT 0,
  -- Removals up to this one are no longer told: who has not seen it starts anew.
  forgotten_change bigint NOT NULL DEFAULT 0,
  CHECK (forgotten_change BETWEEN 0 AND last_change)
);

CREATE TABLE priorityd.job (
  cluster_id integer NOT NULL REFERENCES priorityd.job_queue (cluster_id),
  job_id text NOT NULL CHECK (job_id <> ''),
  change bigint NOT NULL,
  source text NOT NULL,
  name text NOT NULL,
  user_name text NOT NULL CHECK (user_name <> ''),
  account text NOT NULL,
  partitions text[] NOT NULL,
  qos text[] NOT NULL,
  state text NOT NULL CHECK (state IN ('PENDING', 'RUNNING', 'SUSPENDED')),
  -- '' = it has not ended.
  ended_as text NOT NULL CHECK (ended_as IN ('', 'COMPLETED', 'FAILED', 'TIMEOUT', 'CANCELLED',
                                             'PREEMPTED', 'NODE_FAIL')),
  end_time timestamptz,
  hold text NOT NULL CHECK (hold IN ('', 'USER', 'ADMIN')),
  dependency text NOT NULL,
  told_dependency_unmet boolean NOT NULL,
  dependency_unmet boolean NOT NULL,
  submit_time timestamptz NOT NULL,
  eligible_time timestamptz,
  start_time timestamptz,
  -- Since when it would have accrued without a break; NULL accrual_stopped = it does.
  accrue_time timestamptz NOT NULL,
  accrual_stopped timestamptz,
  nodes bigint NOT NULL CHECK (nodes >= 0),
  cpus double precision NOT NULL CHECK (cpus >= 0 AND cpus < 'Infinity'),
  tres_names text[] NOT NULL,
  tres_counts double precision[] NOT NULL,
  time_limit_us bigint CHECK (time_limit_us >= 0),
  nice bigint NOT NULL,
  site_factor bigint NOT NULL,
  admin_priority bigint CHECK (admin_priority BETWEEN 0 AND 4294967295),
  previous_priority bigint CHECK (previous_priority BETWEEN 0 AND 4294967295),
  preemptor boolean,
  reservation text NOT NULL,
  array_tasks bigint NOT NULL CHECK (array_tasks >= 1),
  PRIMARY KEY (cluster_id, job_id),
  CHECK (cardinality(tres_names) = cardinality(tres_counts)),
  CHECK ((ended_as = '') = (end_time IS NULL))
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX job_change ON priorityd.job (cluster_id, change);

CREATE TABLE priorityd.job_removal (
  cluster_id integer NOT NULL REFERENCES priorityd.job_queue (cluster_id),
  change bigint NOT NULL,
  job_id text NOT NULL,
  PRIMARY KEY (cluster_id, change)
);

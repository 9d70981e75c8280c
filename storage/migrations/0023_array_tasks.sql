-- compatible-from: 15
-- Tasks that are split off an array, and what the queue works out for every job: whether its array
-- runs as many tasks as may at a time, and how its dependency stands beside dependency_unmet.
ALTER TABLE priorityd.job
  ADD COLUMN array_job_id text NOT NULL DEFAULT '',  -- '' = it is no such task.
  ADD COLUMN array_task_id bigint CHECK (array_task_id BETWEEN 0 AND 4294967295),
  ADD COLUMN array_limited boolean NOT NULL DEFAULT false,
  ADD COLUMN dependency_never boolean NOT NULL DEFAULT false,  -- It cannot be met any more.
  ADD COLUMN dependency_until timestamptz;  -- It is met from then on.

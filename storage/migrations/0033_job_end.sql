-- compatible-from: 15
-- How and where a job of the tracked queue ended, as its frontend reported it, and whether it may be
-- requeued. Column end_time is when the queue received the end.
ALTER TABLE priorityd.job
  ADD COLUMN reported_end_time timestamptz,
  ADD COLUMN exit_code bigint,
  ADD COLUMN exit_signal bigint NOT NULL DEFAULT 0,
  ADD COLUMN node_list text NOT NULL DEFAULT '',
  ADD COLUMN requeue boolean;  -- NULL = as the policy says.

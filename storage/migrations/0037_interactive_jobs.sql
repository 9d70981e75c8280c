-- compatible-from: 15
-- Whether a job of the tracked queue is interactive, so that preemption cancels it, and the part of
-- its dependency that is not met, as squeue shows it.
ALTER TABLE priorityd.job
  ADD COLUMN interactive boolean NOT NULL DEFAULT false,
  ADD COLUMN unmet_dependency text NOT NULL DEFAULT '';

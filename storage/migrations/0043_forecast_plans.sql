-- compatible-from: 15
-- What a plan of the queue says of a job that begins to wait, in seconds from then; NULL = unknown.
ALTER TABLE priorityd.forecast_event
  ADD COLUMN planned_wait double precision,
  ADD COLUMN expected_wait double precision,
  ADD COLUMN earliest_wait double precision;

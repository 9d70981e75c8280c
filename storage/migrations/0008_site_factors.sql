-- What a site's own service says of tracked jobs.

-- Whether site_factor is the service's word, and no longer the frontend's.
ALTER TABLE priorityd.job ADD COLUMN site_factor_answered boolean NOT NULL DEFAULT false;

-- How the service did when it was last asked.
ALTER TABLE priorityd.job_queue
  -- Its host:port; '' = none was asked yet.
  ADD COLUMN site_factor_plugin text NOT NULL DEFAULT '',
  ADD COLUMN site_factor_answered_at timestamptz,
  -- '' = the last call did not fail.
  ADD COLUMN site_factor_failure text NOT NULL DEFAULT '';

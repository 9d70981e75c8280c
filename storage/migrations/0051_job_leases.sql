-- compatible-from: 15
-- Finds the leases to delete among those that are kept for 400 days, or 30 if cancelled.
CREATE INDEX setting_lease_end
  ON priorityd.setting_lease (cluster_id, least(end_time, ended_at));
CREATE INDEX setting_lease_cancelled ON priorityd.setting_lease (cluster_id, ended_at)
  WHERE ended_at <= begin_time;

-- Leases of the kind `job`, of jobs of the tracked queue.
ALTER TABLE priorityd.setting_lease ADD COLUMN job_id text NOT NULL DEFAULT '';
ALTER TABLE priorityd.published_setting_lease ADD COLUMN job_id text NOT NULL DEFAULT '';

-- Programs that do not know this migration would rank such jobs by their stored values. From the
-- first of these leases on none starts.
CREATE FUNCTION priorityd.require_knowledge_of_job_leases() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE priorityd.schema_migration SET compatible_from = 51
    WHERE version = 51 AND compatible_from < 51;
  RETURN NULL;
END $$;
CREATE TRIGGER require_knowledge AFTER INSERT ON priorityd.setting_lease
  FOR EACH ROW WHEN (NEW.kind = 'job')
  EXECUTE FUNCTION priorityd.require_knowledge_of_job_leases();

-- compatible-from: 15
-- Finds the leases to delete among those that are kept for 400 days, or 30 if cancelled.
CREATE INDEX setting_lease_end
  ON priorityd.setting_lease (cluster_id, least(end_time, ended_at));
CREATE INDEX setting_lease_cancelled ON priorityd.setting_lease (cluster_id, ended_at)
  WHERE ended_at <= begin_time;

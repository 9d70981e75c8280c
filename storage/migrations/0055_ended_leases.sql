-- compatible-from: 15
-- Find the leases to delete beyond the bounds of those that have ended: of one author, and of all of
-- a kind.
CREATE INDEX setting_lease_ended_author
  ON priorityd.setting_lease (cluster_id, kind, created_by COLLATE "C") WHERE end_passed;
CREATE INDEX setting_lease_ended_kind ON priorityd.setting_lease (cluster_id, kind, id)
  WHERE end_passed;

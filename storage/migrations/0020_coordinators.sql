-- compatible-from: 15
-- The accounts that a user coordinates: Coordinator= of sacctmgr dump.
ALTER TABLE priorityd.cluster_user ADD COLUMN coordinated text[] NOT NULL DEFAULT '{}';
ALTER TABLE priorityd.published_cluster_user ADD COLUMN coordinated text[] NOT NULL DEFAULT '{}';
-- Those who have rights are few; every replica asks for them every second.
CREATE INDEX cluster_user_rights ON priorityd.cluster_user (cluster_id)
  WHERE lower(admin_level) NOT IN ('', 'none') OR coordinated <> '{}';

-- An association that is made again under the name of a deleted one is looked up among these.
--
-- outside-transaction
-- compatible-from: 15

CREATE INDEX CONCURRENTLY IF NOT EXISTS association_deleted
  ON priorityd.association (cluster_id, account, user_name, partition, deleted_at, id)
  WHERE deleted_at IS NOT NULL;

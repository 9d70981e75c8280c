-- Every key begins with the cluster, so that the schema can be spread by cluster: the
-- indexes for it, beside the traffic.
--
-- outside-transaction
-- compatible-from: 15

CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS usage_record_key
  ON priorityd.usage_record (cluster_id, seq);

-- What a cluster used last, and what is rolled up first. Records come in about this order, so
-- that it costs recording less than usage_record_association, in whose place it is.
CREATE INDEX CONCURRENTLY IF NOT EXISTS usage_record_end
  ON priorityd.usage_record (cluster_id, end_time);

CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS usage_bucket_key
  ON priorityd.usage_bucket (cluster_id, id);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS usage_bucket_cluster_hour
  ON priorityd.usage_bucket
  (cluster_id, association_id, begins_at, qos_id, user_name, usage_factor) NULLS NOT DISTINCT;

CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS association_usage_key
  ON priorityd.association_usage (cluster_id, association_id);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS qos_usage_key
  ON priorityd.qos_usage (cluster_id, qos_id);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS opening_usage_key
  ON priorityd.opening_usage (cluster_id, association_id);

CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS partition_key
  ON priorityd.partition (cluster_id, id);
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS audit_event_key
  ON priorityd.audit_event (cluster_id, id);

-- The keys of 0017 take the place of those that no program asks for by their columns; no row is
-- read for it. Where there is a key that no column of may be NULL it tells rows apart in logical
-- replication too.
--
-- compatible-from: 15

ALTER TABLE priorityd.usage_bucket
  DROP CONSTRAINT usage_bucket_pkey,
  ADD PRIMARY KEY USING INDEX usage_bucket_key,
  DROP CONSTRAINT usage_bucket_hour;
-- Programs name it.
ALTER TABLE priorityd.usage_bucket
  ADD CONSTRAINT usage_bucket_hour UNIQUE USING INDEX usage_bucket_cluster_hour;
-- Several steps of a roll-up add to a bucket: its next version fits beside it.
ALTER TABLE priorityd.usage_bucket SET (fillfactor = 90);

-- Other tables refer to what is UNIQUE there.
ALTER TABLE priorityd.association
  DROP CONSTRAINT association_pkey, REPLICA IDENTITY USING INDEX association_cluster_id_id_key;
ALTER TABLE priorityd.qos
  DROP CONSTRAINT qos_pkey, REPLICA IDENTITY USING INDEX qos_cluster_id_id_key;

ALTER TABLE priorityd.partition
  DROP CONSTRAINT partition_pkey, ADD PRIMARY KEY USING INDEX partition_key;

ALTER TABLE priorityd.audit_event DROP CONSTRAINT audit_event_pkey, REPLICA IDENTITY FULL;
DROP INDEX priorityd.audit_event_cluster;

-- The new keys begin with the same.
DROP INDEX priorityd.association_usage_cluster;
DROP INDEX priorityd.opening_usage_cluster;

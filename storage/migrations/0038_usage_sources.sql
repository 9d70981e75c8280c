-- The latest end time of each source in the ledger, by one look-up per source. Records of a source
-- arrive in about this order, so that it costs recording little.
--
-- outside-transaction
-- compatible-from: 15
CREATE INDEX CONCURRENTLY IF NOT EXISTS usage_record_source
  ON priorityd.usage_record (cluster_id, source, end_time, seq);

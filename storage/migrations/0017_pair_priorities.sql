-- What single pairs of a job (partition, QOS) had under INCR_ONLY, where that is more than the
-- job's previous_priority: three lists of one length, one entry for each such pair, '' = none.
ALTER TABLE priorityd.job
  ADD COLUMN pair_partitions text[] NOT NULL DEFAULT '{}',
  ADD COLUMN pair_qos text[] NOT NULL DEFAULT '{}',
  ADD COLUMN pair_priorities double precision[] NOT NULL DEFAULT '{}',
  ADD CONSTRAINT job_pairs_check CHECK (
    cardinality(pair_partitions) = cardinality(pair_priorities)
    AND cardinality(pair_qos) = cardinality(pair_priorities)) NOT VALID;

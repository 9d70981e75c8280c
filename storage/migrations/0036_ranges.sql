-- compatible-from: 15
-- Ranges that the service writes and that SQL did not check: a value outside of them, written past the
-- API, would become another number or fail a recalculation. NOT VALID: rows that exist are checked when
-- they are written next.
ALTER TABLE priorityd.partition
  ADD CONSTRAINT partition_ranges CHECK (
    priority_job_factor BETWEEN 0 AND 4294967295
    AND priority_tier BETWEEN 0 AND 4294967295
    AND min_nodes <= 4294967295 AND max_nodes <= 4294967295
    AND max_cpus_per_node BETWEEN 0 AND 4294967295
    AND max_mem_per_node >= 0 AND max_mem_per_node < 'Infinity'
    AND 0 <= ALL (tres_counts) AND 'Infinity' > ALL (tres_counts)) NOT VALID;
ALTER TABLE priorityd.cluster
  ADD CONSTRAINT cluster_tres_ranges CHECK (
    0 <= ALL (tres_counts) AND 'Infinity' > ALL (tres_counts)) NOT VALID;

-- compatible-from: 15
-- Charge at the start (ChargeAtStart): what running jobs reserve in the newest snapshot, by
-- association, not summed up the tree.
CREATE TABLE priorityd.snapshot_reserve (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  association_id bigint NOT NULL,
  billing_seconds double precision NOT NULL,
  PRIMARY KEY (cluster_id, association_id)
);

-- The running jobs of a queue, of which most jobs wait.
CREATE INDEX job_running ON priorityd.job (cluster_id)
  WHERE state <> 'PENDING' AND ended_as = '';

-- compatible-from: 15
-- What of a partition is looked at when a job is submitted, by slurm.conf's names. NULL = unlimited.
ALTER TABLE priorityd.partition
  ADD COLUMN root_only boolean NOT NULL DEFAULT false,
  ADD COLUMN max_cpus_per_node bigint,
  ADD COLUMN max_mem_per_node double precision,  -- MB.
  ADD COLUMN allow_groups text[] NOT NULL DEFAULT '{}';
ALTER TABLE priorityd.published_partition
  ADD COLUMN root_only boolean NOT NULL DEFAULT false,
  ADD COLUMN max_cpus_per_node bigint,
  ADD COLUMN max_mem_per_node double precision,
  ADD COLUMN allow_groups text[] NOT NULL DEFAULT '{}';

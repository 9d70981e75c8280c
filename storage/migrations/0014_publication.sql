-- What a recalculation publishes: the usage that it started from, by difference. Every
-- replica computes the same numbers from it.

-- One row for each cluster that has a snapshot.
CREATE TABLE priorityd.publication (
  cluster_id integer PRIMARY KEY REFERENCES priorityd.cluster (id),
  -- Of the snapshot that snapshot_usage is about; 0 = none yet. Another one than the
  -- newest: a priorityd from before this table published that, and association_factor
  -- has its numbers.
  generation bigint NOT NULL DEFAULT 0,
  -- The one whose rows of snapshot_usage have all usage; those after it have what changed.
  first_generation bigint NOT NULL DEFAULT 0,
  -- How many entries those after it have.
  changed_entries bigint NOT NULL DEFAULT 0,
  -- Of the numbers that the leader computed.
  digest bigint NOT NULL DEFAULT 0,
  -- association_factor has the numbers of this generation; 0 = it is empty.
  numbers_generation bigint NOT NULL DEFAULT 0,
  -- Until then association_factor is written with each generation.
  numbers_wanted_until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);

-- Packed rows of association_usage and opening_usage, and the parents of deleted
-- associations (see storage/snapshots/packed_usage.h).
CREATE TABLE priorityd.snapshot_usage (
  cluster_id integer NOT NULL,
  generation bigint NOT NULL,
  part integer NOT NULL,
  entries bytea NOT NULL,
  PRIMARY KEY (cluster_id, generation, part)
);
-- Doubles do not compress.
ALTER TABLE priorityd.snapshot_usage ALTER COLUMN entries SET STORAGE EXTERNAL;

-- Replicas of the version before read association_factor: for a day it is written too.
INSERT INTO priorityd.publication (cluster_id, numbers_generation, numbers_wanted_until)
  SELECT c.id, coalesce(max(s.generation), 0), now() + interval '1 day'
  FROM priorityd.cluster c LEFT JOIN priorityd.snapshot s ON s.cluster_id = c.id GROUP BY c.id;

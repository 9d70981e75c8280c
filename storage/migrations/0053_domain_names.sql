-- compatible-from: 15
-- The names of a domain's shares, once for all snapshots of one tree. `version` is the generation
-- of the first of them.
CREATE TABLE priorityd.domain_share_names (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  version bigint NOT NULL,
  accounts text[] NOT NULL,
  user_names text[] NOT NULL,
  PRIMARY KEY (cluster_id, version)
);

-- With a version, the shares are packed_shares, doubles of 8 bytes, little-endian, of these names.
-- The three arrays have different lengths then, which programs of before this migration refuse;
-- while one of them runs, the leader writes the arrays, and no version.
ALTER TABLE priorityd.domain_share
  ADD COLUMN names_version bigint,
  ADD COLUMN packed_shares bytea,
  ADD FOREIGN KEY (cluster_id, names_version)
    REFERENCES priorityd.domain_share_names (cluster_id, version),
  ADD CHECK ((names_version IS NULL) = (packed_shares IS NULL));
-- Doubles do not become smaller.
ALTER TABLE priorityd.domain_share ALTER COLUMN packed_shares SET STORAGE EXTERNAL;

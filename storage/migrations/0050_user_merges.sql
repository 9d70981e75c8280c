-- compatible-from: 15
-- Users that count as others. Nothing of them is changed: a recalculation lets the usage of
-- from_user count for into_user.
CREATE TABLE priorityd.user_merge (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  from_user text COLLATE "C" NOT NULL CHECK (from_user <> ''),
  into_user text COLLATE "C" NOT NULL CHECK (into_user <> ''),
  merged_at timestamptz NOT NULL,
  merged_by text NOT NULL,
  comment text NOT NULL,
  PRIMARY KEY (cluster_id, from_user),
  CHECK (from_user <> into_user)
);
CREATE INDEX user_merge_into ON priorityd.user_merge (cluster_id, into_user);

-- Those that the newest snapshot was computed from.
CREATE TABLE priorityd.published_user_merge (
  LIKE priorityd.user_merge,
  PRIMARY KEY (cluster_id, from_user),
  FOREIGN KEY (cluster_id) REFERENCES priorityd.cluster (id) ON DELETE CASCADE
);

CREATE TRIGGER count_insert AFTER INSERT ON priorityd.user_merge
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change();
CREATE TRIGGER count_delete AFTER DELETE ON priorityd.user_merge
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change();

-- The usage of a user's grants is that of other associations then.
CREATE FUNCTION priorityd.mark_pools_of_merges_stale() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE priorityd.usage_pool p SET is_stale = true FROM changed c
    WHERE p.cluster_id = c.cluster_id AND p.user_name IN (c.from_user, c.into_user);
  RETURN NULL;
END $$;
CREATE TRIGGER mark_stale_insert AFTER INSERT ON priorityd.user_merge
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.mark_pools_of_merges_stale();
CREATE TRIGGER mark_stale_delete AFTER DELETE ON priorityd.user_merge
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.mark_pools_of_merges_stale();

-- Programs that do not know this migration cannot follow a snapshot with merges. Those that run
-- are seen by the 0 that they leave here. From the first merge on none starts.
ALTER TABLE priorityd.replica ADD COLUMN known_migration integer NOT NULL DEFAULT 0;
CREATE FUNCTION priorityd.require_knowledge_of_merges() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE priorityd.schema_migration SET compatible_from = 50
    WHERE version = 50 AND compatible_from < 50;
  RETURN NULL;
END $$;
CREATE TRIGGER require_knowledge AFTER INSERT ON priorityd.user_merge
  FOR EACH ROW EXECUTE FUNCTION priorityd.require_knowledge_of_merges();

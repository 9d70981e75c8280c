-- compatible-from: 15
-- Names by which sources call users.
CREATE TABLE priorityd.user_alias (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  source text COLLATE "C" NOT NULL,  -- '' = of every source without its own.
  alias text COLLATE "C" NOT NULL CHECK (alias <> ''),
  user_name text NOT NULL CHECK (user_name <> ''),
  version bigint NOT NULL,  -- Of user_alias_version, when it was added.
  PRIMARY KEY (cluster_id, source, alias)
);
-- Whether a name is an alias, or has one.
CREATE INDEX user_alias_name ON priorityd.user_alias (cluster_id, alias);
CREATE INDEX user_alias_user ON priorityd.user_alias (cluster_id, user_name);
CREATE TRIGGER count_insert AFTER INSERT ON priorityd.user_alias
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change();
CREATE TRIGGER count_delete AFTER DELETE ON priorityd.user_alias
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change();

-- The number of changes of a cluster's aliases: replicas read the aliases again when it differs.
CREATE TABLE priorityd.user_alias_version (
  cluster_id integer PRIMARY KEY REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  version bigint NOT NULL
);

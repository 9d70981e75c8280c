-- compatible-from: 15
-- Advanced reservations: nodes that some users or accounts have for a period, by scontrol's names.
CREATE TABLE priorityd.reservation (
  id bigint GENERATED ALWAYS AS IDENTITY,
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  name text NOT NULL CHECK (name <> ''),
  start_time timestamptz NOT NULL,
  end_time timestamptz NOT NULL,
  nodes text NOT NULL,  -- A host list, or ALL.
  partition text NOT NULL,  -- With ALL: of which; '' = of the cluster.
  -- Only those named, or, where excluded, all but those named; {} = the list decides nothing.
  users text[] NOT NULL,
  users_excluded boolean NOT NULL,
  accounts text[] NOT NULL,
  accounts_excluded boolean NOT NULL,
  flags text[] NOT NULL,
  deleted_at timestamptz,
  PRIMARY KEY (cluster_id, id),
  CHECK (start_time < end_time)
);
CREATE UNIQUE INDEX reservation_live ON priorityd.reservation (cluster_id, name)
  WHERE deleted_at IS NULL;
CREATE TRIGGER count_insert AFTER INSERT ON priorityd.reservation
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change();
CREATE TRIGGER count_update AFTER UPDATE ON priorityd.reservation
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change();
CREATE TRIGGER count_delete AFTER DELETE ON priorityd.reservation
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change();

-- Those that the newest snapshot was computed from.
CREATE TABLE priorityd.published_reservation (
  LIKE priorityd.reservation,
  PRIMARY KEY (cluster_id, id),
  FOREIGN KEY (cluster_id) REFERENCES priorityd.cluster (id) ON DELETE CASCADE
);

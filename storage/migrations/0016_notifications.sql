-- A notification says which cluster's configuration changed, so that replicas read that one
-- only. An older replica reads all clusters whatever it says.
-- compatible-from: 15
CREATE OR REPLACE FUNCTION priorityd.count_configuration_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'cluster' THEN
    INSERT INTO priorityd.configuration_revision AS r (cluster_id, revision)
      SELECT id, 1 FROM changed ORDER BY id
      ON CONFLICT (cluster_id) DO UPDATE SET revision = r.revision + 1;
    PERFORM pg_notify('priorityd', 'configuration ' || name) FROM changed;
  ELSE
    INSERT INTO priorityd.configuration_revision AS r (cluster_id, revision)
      SELECT DISTINCT cluster_id, 1 FROM changed ORDER BY cluster_id
      ON CONFLICT (cluster_id) DO UPDATE SET revision = r.revision + 1;
    PERFORM pg_notify('priorityd', 'configuration ' || name) FROM priorityd.cluster
      WHERE id IN (SELECT cluster_id FROM changed);
  END IF;
  RETURN NULL;
END $$;

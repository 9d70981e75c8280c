-- compatible-from: 15

-- Clusters that are deleted and can be restored until then: their rows are whole. A leader from
-- before this migration deletes the rows at once.
CREATE TABLE priorityd.deleted_cluster (
  cluster_id integer PRIMARY KEY REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  restorable_until timestamptz NOT NULL
);

-- Imports that can be undone.
CREATE TABLE priorityd.import_run (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  id bigint NOT NULL,
  imported_at timestamptz NOT NULL DEFAULT now(),
  principal text NOT NULL,
  -- The newest versions before and after it; 0 = none.
  policy_before bigint NOT NULL,
  policy_after bigint NOT NULL,
  undone_at timestamptz,
  PRIMARY KEY (cluster_id, id)
);

-- The rows that an import changed, of the table `kind`: as they were before it (NULL = the import
-- created the row) and after it (NULL = it deleted the row).
CREATE TABLE priorityd.import_change (
  cluster_id integer NOT NULL,
  import_id bigint NOT NULL,
  kind text NOT NULL,
  row_key text NOT NULL,
  before jsonb,
  after jsonb,
  PRIMARY KEY (cluster_id, import_id, kind, row_key)
);

-- Arguments: the column that identifies a row, and the columns that imports do not change.
CREATE FUNCTION priorityd.note_import_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was jsonb;
  becomes jsonb;
BEGIN
  IF TG_OP <> 'INSERT' THEN was := to_jsonb(OLD) - TG_ARGV[1]::text[]; END IF;
  IF TG_OP <> 'DELETE' THEN becomes := to_jsonb(NEW) - TG_ARGV[1]::text[]; END IF;
  INSERT INTO priorityd.import_change AS c (cluster_id, import_id, kind, row_key, before, after)
    VALUES (coalesce(becomes ->> 'cluster_id', was ->> 'cluster_id', becomes ->> 'id')::integer,
            current_setting('priorityd.import_id')::bigint, TG_TABLE_NAME,
            coalesce(becomes ->> TG_ARGV[0], was ->> TG_ARGV[0]), was, becomes)
    ON CONFLICT (cluster_id, import_id, kind, row_key) DO UPDATE SET after = EXCLUDED.after;
  RETURN NULL;
END $$;

DO $$
DECLARE
  noted record;
BEGIN
  FOR noted IN SELECT * FROM (VALUES
      ('cluster', 'id', '{name,former_name,created_at,ledger_horizon}'),
      ('association', 'id', '{}'), ('cluster_user', 'name', '{}'), ('qos', 'id', '{}'),
      ('partition', 'id', '{}'), ('opening_usage', 'association_id', '{changed_xid}')
    ) AS t (name, key, ignored) LOOP
    -- Only in an import: see ImportStore.
    EXECUTE format(
      'CREATE TRIGGER note_import AFTER INSERT OR UPDATE OR DELETE ON priorityd.%I FOR EACH ROW '
      'WHEN (current_setting(''priorityd.import_id'', true) <> '''') '
      'EXECUTE FUNCTION priorityd.note_import_change(%L, %L)', noted.name, noted.key, noted.ignored);
  END LOOP;
END $$;

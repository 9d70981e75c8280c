-- compatible-from: 15
-- Grants that coordinators made, which limit and add nothing: see administration::LimitRight.
ALTER TABLE priorityd.usage_grant ADD COLUMN by_coordinator boolean NOT NULL DEFAULT false;

-- Programs that do not know this migration would take them for grants of operators. From the first
-- of them on none starts.
CREATE FUNCTION priorityd.require_knowledge_of_limits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE priorityd.schema_migration SET compatible_from = 54
    WHERE version = 54 AND compatible_from < 54;
  RETURN NULL;
END $$;
CREATE TRIGGER require_knowledge AFTER INSERT ON priorityd.usage_grant
  FOR EACH ROW WHEN (NEW.by_coordinator)
  EXECUTE FUNCTION priorityd.require_knowledge_of_limits();

-- Grants, leases, merged users and aliases of imports, which can be undone as other rows.
-- Arguments: the columns that identify a row, whose values as JSON are the key, and the columns that
-- imports do not change.
CREATE FUNCTION priorityd.note_import_of_keys() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was jsonb;
  becomes jsonb;
BEGIN
  IF TG_OP <> 'INSERT' THEN was := to_jsonb(OLD) - TG_ARGV[1]::text[]; END IF;
  IF TG_OP <> 'DELETE' THEN becomes := to_jsonb(NEW) - TG_ARGV[1]::text[]; END IF;
  INSERT INTO priorityd.import_change AS c (cluster_id, import_id, kind, row_key, before, after)
    VALUES (coalesce(becomes ->> 'cluster_id', was ->> 'cluster_id')::integer,
            current_setting('priorityd.import_id')::bigint, TG_TABLE_NAME,
            (SELECT jsonb_agg(coalesce(becomes, was) -> k.name ORDER BY k.place)::text
               FROM unnest(TG_ARGV[0]::text[]) WITH ORDINALITY AS k (name, place)),
            was, becomes)
    ON CONFLICT (cluster_id, import_id, kind, row_key) DO UPDATE SET after = EXCLUDED.after;
  RETURN NULL;
END $$;

DO $$
DECLARE
  noted record;
BEGIN
  FOR noted IN SELECT * FROM (VALUES
      ('usage_grant', '{id}', '{}'), ('usage_grant_version', '{grant_id,number}', '{}'),
      ('usage_grant_transfer', '{id}', '{}'),
      ('setting_lease', '{id}', '{begin_passed,end_passed}'), ('user_merge', '{from_user}', '{}'),
      ('user_alias', '{source,alias}', '{}')
    ) AS t (name, keys, ignored) LOOP
    -- Only in an import: see ImportStore.
    EXECUTE format(
      'CREATE TRIGGER note_import AFTER INSERT OR UPDATE OR DELETE ON priorityd.%I FOR EACH ROW '
      'WHEN (current_setting(''priorityd.import_id'', true) <> '''') '
      'EXECUTE FUNCTION priorityd.note_import_of_keys(%L, %L)', noted.name, noted.keys,
      noted.ignored);
  END LOOP;
END $$;

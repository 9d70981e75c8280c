-- compatible-from: 15
-- Price books: what usage costs, for grants of money. A version holds until the next one begins.
CREATE TABLE priorityd.price_book (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL CHECK (name <> ''),
  begin_time timestamptz NOT NULL,
  currency text NOT NULL,
  time_zone text NOT NULL,
  rules text[] NOT NULL,  -- As lines of the file of own objects, in their order.
  changed_by text NOT NULL,
  comment text NOT NULL,
  PRIMARY KEY (cluster_id, name, begin_time)
);

-- Usage that a version prices is summed up again; usage that comes later is priced by what is here.
CREATE FUNCTION priorityd.price_usage_again() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed priorityd.price_book := coalesce(NEW, OLD);
BEGIN
  UPDATE priorityd.usage_pool p SET is_stale = true
    WHERE p.cluster_id = changed.cluster_id AND p.tres = 'price/' || changed.name AND (
      EXISTS (SELECT FROM priorityd.usage_record u
              WHERE u.cluster_id = changed.cluster_id AND u.end_time > changed.begin_time)
      OR EXISTS (SELECT FROM priorityd.usage_bucket b
                 WHERE b.cluster_id = changed.cluster_id AND b.end_time > changed.begin_time));
  RETURN NULL;
END $$;
CREATE TRIGGER price_usage_again AFTER INSERT OR UPDATE OR DELETE ON priorityd.price_book
  FOR EACH ROW EXECUTE FUNCTION priorityd.price_usage_again();
CREATE TRIGGER count_insert AFTER INSERT ON priorityd.price_book
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change();
CREATE TRIGGER count_update AFTER UPDATE ON priorityd.price_book
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change();
CREATE TRIGGER count_delete AFTER DELETE ON priorityd.price_book
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change();
CREATE TRIGGER note_import AFTER INSERT OR UPDATE OR DELETE ON priorityd.price_book FOR EACH ROW
  WHEN (current_setting('priorityd.import_id', true) <> '')
  EXECUTE FUNCTION priorityd.note_import_of_keys('{name,begin_time}', '{}');

-- Programs that do not know this migration count 0 for grants of money. From the first of them on
-- none starts.
CREATE FUNCTION priorityd.require_knowledge_of_prices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE priorityd.schema_migration SET compatible_from = 56
    WHERE version = 56 AND compatible_from < 56;
  RETURN NULL;
END $$;
CREATE TRIGGER require_knowledge_of_prices AFTER INSERT OR UPDATE ON priorityd.usage_grant
  FOR EACH ROW WHEN (NEW.tres LIKE 'price/%')
  EXECUTE FUNCTION priorityd.require_knowledge_of_prices();

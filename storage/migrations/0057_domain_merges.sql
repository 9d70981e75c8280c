-- compatible-from: 15
-- Merges of a usage domain: in the domain, those that hold in its members too; in a member, those
-- of its domain.
ALTER TABLE priorityd.user_merge ADD COLUMN of_domain boolean NOT NULL DEFAULT false;
ALTER TABLE priorityd.published_user_merge ADD COLUMN of_domain boolean NOT NULL DEFAULT false;
-- The undo of an import restores whole rows, and compares them.
UPDATE priorityd.import_change SET before = before || '{"of_domain": false}',
  after = after || '{"of_domain": false}' WHERE kind = 'user_merge';

CREATE TRIGGER count_update AFTER UPDATE ON priorityd.user_merge
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change();

-- Programs that do not know this migration would let clusters join without these merges, and leave
-- with them. From the first of them on none starts.
CREATE FUNCTION priorityd.require_knowledge_of_domain_merges() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE priorityd.schema_migration SET compatible_from = 57
    WHERE version = 57 AND compatible_from < 57;
  RETURN NULL;
END $$;
CREATE TRIGGER require_knowledge_of_domain AFTER INSERT OR UPDATE ON priorityd.user_merge
  FOR EACH ROW WHEN (NEW.of_domain)
  EXECUTE FUNCTION priorityd.require_knowledge_of_domain_merges();

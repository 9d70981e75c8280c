-- Manual resets are part of what usage counts by, so they make a new revision of the
-- configuration like half-lives do.
CREATE TRIGGER count_insert AFTER INSERT ON priorityd.usage_reset
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change();
CREATE TRIGGER count_update AFTER UPDATE ON priorityd.usage_reset
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change();
CREATE TRIGGER count_delete AFTER DELETE ON priorityd.usage_reset
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION priorityd.count_configuration_change();

-- compatible-from: 15
-- Who recorded what is in the ledger. A principal has a small number here, so that a record of the
-- ledger has four bytes more and no name. There is no reference from records: it would be checked
-- for every one of them. NULL = recorded before this migration, or by a program that does not know
-- it.
CREATE TABLE priorityd.principal (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE CHECK (name <> '')  -- KIND:NAME, as in the auth file.
);
ALTER TABLE priorityd.usage_record ADD COLUMN recorded_by integer;

-- With the new column, which is the last.
CREATE OR REPLACE VIEW priorityd.counted_usage AS
SELECT u.* FROM priorityd.usage_record u
WHERE NOT EXISTS
  (SELECT FROM priorityd.usage_record r
   WHERE r.cluster_id = u.cluster_id AND r.source = u.source
     AND r.replaces_record_id = u.record_id AND r.replaces_record_id <> '');

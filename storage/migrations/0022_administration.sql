-- compatible-from: 15
-- Why something was changed.
ALTER TABLE priorityd.audit_event ADD COLUMN comment text NOT NULL DEFAULT '';
-- What a cluster was called that is being deleted: its name is one that no cluster has, so that
-- nobody finds it by the former one. NULL = it is there.
ALTER TABLE priorityd.cluster ADD COLUMN former_name text;

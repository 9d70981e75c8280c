-- Lists of associations by user, and of the audit by who, what and to what, read what they answer.
--
-- outside-transaction
-- compatible-from: 15

CREATE INDEX CONCURRENTLY IF NOT EXISTS association_user
  ON priorityd.association (cluster_id, user_name) WHERE deleted_at IS NULL;

CREATE INDEX CONCURRENTLY IF NOT EXISTS audit_event_action
  ON priorityd.audit_event (cluster_id, action, id);
-- A principal is told with its proof and its address, as in amy (MUNGE, uid 1000).
CREATE INDEX CONCURRENTLY IF NOT EXISTS audit_event_principal
  ON priorityd.audit_event (cluster_id, split_part(principal, ' (', 1), id);
-- Each object once: what a part of its name is looked for in.
CREATE INDEX CONCURRENTLY IF NOT EXISTS audit_event_object
  ON priorityd.audit_event (cluster_id, object);
CREATE INDEX CONCURRENTLY IF NOT EXISTS audit_event_at
  ON priorityd.audit_event (cluster_id, at, id);

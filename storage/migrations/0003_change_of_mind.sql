-- Manual resets: usage of an association before reset_at counts nothing. One row
-- for every association that a reset was of, deleted ones below it too; who did
-- it and to what is in audit_event.

CREATE TABLE priorityd.usage_reset (
  cluster_id integer NOT NULL,
  association_id bigint NOT NULL,
  reset_at timestamptz NOT NULL,
  PRIMARY KEY (cluster_id, association_id, reset_at),
  FOREIGN KEY (cluster_id, association_id) REFERENCES priorityd.association (cluster_id, id)
);

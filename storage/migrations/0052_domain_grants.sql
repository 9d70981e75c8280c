-- compatible-from: 15
-- The grants of a usage domain that the newest snapshot of a member has: those that were used up.
CREATE TABLE priorityd.domain_grant (
  LIKE priorityd.grant_standing INCLUDING DEFAULTS,
  PRIMARY KEY (cluster_id, place),
  FOREIGN KEY (cluster_id) REFERENCES priorityd.cluster (id) ON DELETE CASCADE
);

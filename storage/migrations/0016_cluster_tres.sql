-- Which TRES a cluster has ever used, so that each may have so many and no more. Slurm's own eight
-- are everybody's and in no row.
CREATE TABLE priorityd.cluster_tres (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id),
  tres_id integer NOT NULL REFERENCES priorityd.tres (id),
  PRIMARY KEY (cluster_id, tres_id),
  CHECK (tres_id > 8)
);

INSERT INTO priorityd.cluster_tres (cluster_id, tres_id)
SELECT DISTINCT used.cluster_id, tres_id
FROM (SELECT cluster_id, tres_ids FROM priorityd.association_usage
      UNION ALL SELECT cluster_id, tres_ids FROM priorityd.qos_usage) AS used,
     unnest(used.tres_ids) AS tres_id
WHERE tres_id > 8;

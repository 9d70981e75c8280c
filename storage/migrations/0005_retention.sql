-- Ledger retention: records that end before a cluster's horizon are rolled up.

-- It only ever moves forward, also when the policy keeps records longer again:
-- what ended before it may be rolled up already and is never taken again.
ALTER TABLE priorityd.cluster
  ADD COLUMN ledger_horizon timestamptz NOT NULL DEFAULT '-infinity';

-- What records that are no longer in the ledger used: one row for all that was
-- used in an hour by an association, at the name and price submitted. A record is
-- split exactly at the hours, and at the association's last reset. begins_at is
-- where the hour or its later part begins; start_time and end_time are the
-- earliest and latest moment that anything in the row was used, and what a reader
-- spreads the amounts over. records counts those that ended in it. Neither
-- amounts nor wall have the UsageFactor in them. Replaced records are in no row.
CREATE TABLE priorityd.usage_bucket (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  cluster_id integer NOT NULL,
  association_id bigint NOT NULL,
  qos_id bigint,
  user_name text NOT NULL,
  usage_factor double precision NOT NULL,
  begins_at timestamptz NOT NULL,
  start_time timestamptz NOT NULL,
  end_time timestamptz NOT NULL,
  tres_ids integer[] NOT NULL,
  tres_seconds double precision[] NOT NULL,
  billing_seconds double precision NOT NULL,
  wall_seconds double precision NOT NULL,
  records bigint NOT NULL,
  CONSTRAINT usage_bucket_hour
    UNIQUE NULLS NOT DISTINCT (association_id, begins_at, qos_id, user_name, usage_factor),
  CHECK (begins_at <= start_time AND start_time <= end_time),
  CHECK (cardinality(tres_ids) = cardinality(tres_seconds))
);
-- As usage_record_time.
CREATE INDEX usage_bucket_time ON priorityd.usage_bucket
  USING brin (start_time timestamptz_minmax_multi_ops, end_time timestamptz_minmax_multi_ops)
  WITH (pages_per_range = 32, autosummarize = on);

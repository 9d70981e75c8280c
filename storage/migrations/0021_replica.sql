-- compatible-from: 15
-- The replicas that use this database, each with the last that it told of itself.
CREATE TABLE priorityd.replica (
  name text PRIMARY KEY,  -- As its connections are called.
  address text NOT NULL,
  version text NOT NULL,
  started_at timestamptz NOT NULL,
  leads boolean NOT NULL,
  host_ahead double precision NOT NULL,  -- Seconds before the database's clock.
  seen_at timestamptz NOT NULL  -- By the database's clock.
) WITH (fillfactor = 50);

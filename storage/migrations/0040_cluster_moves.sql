-- compatible-from: 15
-- Clusters that move to another database, or came from one. One row for each name that this
-- database has, had, or is about to have.
CREATE TABLE priorityd.cluster_move (
  cluster_name text PRIMARY KEY CHECK (cluster_name <> ''),
  move_id text NOT NULL CHECK (move_id <> ''),  -- The same in both databases.
  local_id integer,  -- Of the cluster's rows here; NULL = none any more.
  cell text NOT NULL CHECK (cell <> ''),  -- The other one.
  state text NOT NULL CHECK (state IN ('leaving', 'frozen', 'moved', 'arriving', 'arrived')),
  -- Of a cluster that leaves: all records of the ledger up to this one are committed.
  last_seq bigint NOT NULL DEFAULT 0,
  returns boolean NOT NULL DEFAULT false,  -- Of one that arrives: it had moved from here.
  changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX cluster_move_local_id ON priorityd.cluster_move (local_id);

-- How far each table of a cluster that arrives has been written.
CREATE TABLE priorityd.cluster_move_progress (
  cluster_name text NOT NULL REFERENCES priorityd.cluster_move ON DELETE CASCADE,
  table_name text NOT NULL,
  after text[] NOT NULL,  -- The key of the last row; {} = none.
  complete boolean NOT NULL,
  rows bigint NOT NULL,
  PRIMARY KEY (cluster_name, table_name)
);

-- The numbers that its TRES have in the other database.
CREATE TABLE priorityd.cluster_move_tres (
  cluster_name text NOT NULL REFERENCES priorityd.cluster_move ON DELETE CASCADE,
  source_id integer NOT NULL,
  tres_id integer NOT NULL REFERENCES priorityd.tres (id),
  PRIMARY KEY (cluster_name, source_id)
);

-- Each change of a frozen queue finds this in the row that it updates.
ALTER TABLE priorityd.job_queue ADD COLUMN frozen boolean NOT NULL DEFAULT false;

-- Raises an error where the cluster must not be changed. Callers have a lock that excludes
-- freezing; the function is volatile, so that it sees what was committed before they got it.
CREATE FUNCTION priorityd.require_writable(id integer) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM priorityd.cluster_move m
             WHERE m.local_id = id AND m.state IN ('frozen', 'moved')) THEN
    RAISE EXCEPTION 'cluster % is being moved to another cell', id USING ERRCODE = 'PM001';
  END IF;
  RETURN true;
END $$;

-- The amounts of a list of TRES with the numbers of this database, in their order: row 1 has the
-- numbers, row 2 the amounts.
CREATE FUNCTION priorityd.translate_tres(ids integer[], amounts double precision[], source_ids integer[],
                                         target_ids integer[],
                                         OUT new_ids integer[], OUT new_amounts double precision[])
LANGUAGE sql IMMUTABLE AS $$
SELECT coalesce(array_agg(t.new_id ORDER BY t.new_id), '{}'),
  coalesce(array_agg(t.amount ORDER BY t.new_id), '{}')
FROM (SELECT coalesce(m.target_id, l.id) AS new_id, l.amount
      FROM unnest(ids, amounts) AS l (id, amount)
      LEFT JOIN unnest(source_ids, target_ids) AS m (source_id, target_id) ON m.source_id = l.id) AS t
$$;

-- Voids: records of the ledger that an operator took out of what counts, by what they have in
-- common. Each such record is replaced by one that uses nothing, whose record_id is
-- usage-void:ID:SEQ of it; a restored one is replaced once more, by usage-restore:ID:SEQ.
--
-- compatible-from: 15

CREATE TABLE priorityd.usage_void (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  id bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Which records: empty and infinite = all.
  sources text[] NOT NULL,
  job_ids text[] NOT NULL,
  user_names text[] NOT NULL,
  accounts text[] NOT NULL,
  ended_from timestamptz NOT NULL,
  ended_before timestamptz NOT NULL,
  recorded_from timestamptz NOT NULL,
  recorded_before timestamptz NOT NULL,
  -- No record that was appended later.
  last_seq bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('voiding', 'voided', 'restoring', 'restored')),
  -- How far it has come, in the ledger's order: of what is voided, or of voids that are restored.
  done_seq bigint NOT NULL,
  voided_records bigint NOT NULL DEFAULT 0,
  restored_records bigint NOT NULL DEFAULT 0,
  -- Billing seconds times UsageFactor of the voided records, not decayed.
  voided_usage double precision NOT NULL DEFAULT 0,
  PRIMARY KEY (cluster_id, id)
);

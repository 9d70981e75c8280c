-- Reports read the records of a stretch of time, not the whole ledger. It is written in about
-- the order of time, so a block range index of a few pages does; of several intervals a range, so
-- that a record that comes late does not widen its range to all that lies between.
CREATE INDEX usage_record_time ON priorityd.usage_record
  USING brin (start_time timestamptz_minmax_multi_ops, end_time timestamptz_minmax_multi_ops)
  WITH (pages_per_range = 32, autosummarize = on);

-- A ledger whose old records are rolled up every day loses less than the fifth of its rows
-- that PostgreSQL waits for, and would grow by months of them before it used their space again.
ALTER TABLE priorityd.usage_record SET (
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE priorityd.running_job SET (autovacuum_vacuum_scale_factor = 0.05);

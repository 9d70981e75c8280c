-- compatible-from: 15
-- The last reset of what jobs under a QOS used: what they used before counts nothing in it.
ALTER TABLE priorityd.qos ADD COLUMN usage_reset_at timestamptz;
ALTER TABLE priorityd.published_qos ADD COLUMN usage_reset_at timestamptz;

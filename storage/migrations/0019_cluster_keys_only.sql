-- What only programs from before 0018 need: keys that their statements name by the columns, and
-- what they look records up by.
--
-- contracts
-- compatible-from: 18

ALTER TABLE priorityd.usage_record
  DROP CONSTRAINT usage_record_pkey, ADD PRIMARY KEY USING INDEX usage_record_key;
DROP INDEX priorityd.usage_record_association;

ALTER TABLE priorityd.association_usage
  DROP CONSTRAINT association_usage_pkey, ADD PRIMARY KEY USING INDEX association_usage_key;
ALTER TABLE priorityd.qos_usage
  DROP CONSTRAINT qos_usage_pkey, ADD PRIMARY KEY USING INDEX qos_usage_key;
ALTER TABLE priorityd.opening_usage
  DROP CONSTRAINT opening_usage_pkey, ADD PRIMARY KEY USING INDEX opening_usage_key;

-- compatible-from: 15
-- Usage domains: clusters whose usage counts in the tree of another one, the domain, which gives
-- them their fair-share.
CREATE TABLE priorityd.domain_member (
  cluster_id integer PRIMARY KEY REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  domain_id integer NOT NULL REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  -- What a TRES-second of the member is worth in the domain, in billing-seconds. None = a
  -- billing-second of the member is one of the domain.
  price_tres text[] NOT NULL,
  prices double precision[] NOT NULL,
  joined_at timestamptz NOT NULL DEFAULT now(),
  counts_from timestamptz NOT NULL,  -- Records that end before it do not count in the domain.
  settled_seq bigint NOT NULL DEFAULT 0,  -- The member's records up to this one are settled.
  settled_at timestamptz NOT NULL DEFAULT '-infinity',
  newest_end timestamptz NOT NULL DEFAULT '-infinity',  -- Of the records settled.
  counted bigint NOT NULL DEFAULT 0,  -- Records written to the domain's ledger.
  refused bigint NOT NULL DEFAULT 0,
  refused_why text NOT NULL DEFAULT '',  -- The last one.
  CHECK (cluster_id <> domain_id),
  CHECK (cardinality(price_tres) = cardinality(prices))
);
CREATE INDEX domain_member_domain ON priorityd.domain_member (domain_id);

-- The fair-share of the associations without a partition, with each snapshot of a domain.
CREATE TABLE priorityd.domain_share (
  cluster_id integer NOT NULL REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  generation bigint NOT NULL,
  accounts text[] NOT NULL,
  user_names text[] NOT NULL,
  fair_shares double precision[] NOT NULL,
  PRIMARY KEY (cluster_id, generation)
);

-- The fair-share that the newest snapshot of a member has.
CREATE TABLE priorityd.published_domain (
  cluster_id integer PRIMARY KEY REFERENCES priorityd.cluster (id) ON DELETE CASCADE,
  domain_id integer NOT NULL,
  generation bigint NOT NULL,
  FOREIGN KEY (domain_id, generation) REFERENCES priorityd.domain_share (cluster_id, generation)
    ON DELETE CASCADE
);
CREATE INDEX published_domain_share ON priorityd.published_domain (domain_id, generation);

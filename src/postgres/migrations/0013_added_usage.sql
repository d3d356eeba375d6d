-- Usage as instances add it, in rows that no other instance writes, so that they never wait for each other. The sums read it together with the other
-- tables of usage, to which it is moved in the background. Instances of 1.1.0 add to `usage` directly.
CREATE TABLE added_usage (LIKE hourly_usage);

CREATE INDEX added_usage_by_account ON added_usage (account_id);
CREATE INDEX added_usage_by_key ON added_usage (key_id);

-- The last batch that each instance has added: a batch that is sent again, because its outcome was unknown, counts once.
CREATE TABLE usage_writer (
  writer   UUID        PRIMARY KEY,
  batch    BIGINT      NOT NULL,
  added_at TIMESTAMPTZ NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

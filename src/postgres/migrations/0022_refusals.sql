-- The last refused or failed calls of each key. They name the addresses of people, and are kept for days only.
CREATE TABLE refusal (
  key_id      BIGINT NOT NULL,
  called_at   BIGINT NOT NULL,
  sequence    BIGINT NOT NULL,
  method      TEXT   NOT NULL,
  path        TEXT   NOT NULL,
  status      BIGINT NOT NULL,
  code        TEXT   NOT NULL,
  called_from TEXT   NOT NULL,
  user_agent  TEXT,
  PRIMARY KEY (key_id, called_at, sequence)
);

CREATE INDEX refusal_by_time ON refusal (called_at);

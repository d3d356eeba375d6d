-- What operators created with an idempotency key, for 24 hours. `sealed` can be read only with that key, which is not stored.
CREATE TABLE operator_creation (
  key         TEXT   COLLATE "C" NOT NULL PRIMARY KEY,
  fingerprint TEXT   COLLATE "C" NOT NULL,
  created_at  BIGINT NOT NULL,
  sealed      TEXT   COLLATE "C" NOT NULL
);

CREATE INDEX operator_creation_by_age ON operator_creation (created_at);

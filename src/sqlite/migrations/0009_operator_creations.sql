-- What operators created with an idempotency key, for 24 hours. `sealed` can be read only with that key, which is not stored.
CREATE TABLE operator_creation (
  key         TEXT    NOT NULL PRIMARY KEY,
  fingerprint TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  sealed      TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX operator_creation_by_age ON operator_creation (created_at);

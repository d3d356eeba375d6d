ALTER TABLE account ADD COLUMN suspended_at INTEGER;

-- Without it, each key that is deleted would look through all others for one that it was rotated to.
CREATE INDEX api_key_by_successor ON api_key (replaced_by);

CREATE TABLE operator_token (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  hash       TEXT    NOT NULL UNIQUE,
  hint       TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  role       TEXT    NOT NULL CHECK (role IN ('staff', 'admin')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE TABLE session (
  hash       TEXT    PRIMARY KEY,
  token_id   INTEGER NOT NULL REFERENCES operator_token (id),
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Refers to nothing: an entry outlives what it is about.
CREATE TABLE audit (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  at         INTEGER NOT NULL,
  actor      TEXT    NOT NULL,
  origin     TEXT    NOT NULL,
  action     TEXT    NOT NULL,
  subject_id INTEGER,
  account_id INTEGER,
  -- A JSON object of texts.
  details    TEXT    NOT NULL
) STRICT;

CREATE INDEX audit_by_account ON audit (account_id, id);
CREATE INDEX audit_by_action ON audit (action, id);

-- An INSERT OR REPLACE deletes without any trigger for deletions.
CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id)
  BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;

-- One key's calls of one operation on one day (days since 1970, UTC). Kept when the account is deleted.
CREATE TABLE usage (
  day        INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  -- 0: calls from before keys were counted each for itself.
  key_id     INTEGER NOT NULL,
  operation  TEXT    NOT NULL,
  admitted   INTEGER NOT NULL,
  refused    INTEGER NOT NULL,
  banned     INTEGER NOT NULL,
  status_2xx INTEGER NOT NULL,
  status_3xx INTEGER NOT NULL,
  status_4xx INTEGER NOT NULL,
  status_5xx INTEGER NOT NULL,
  last_at    INTEGER NOT NULL,
  PRIMARY KEY (day, account_id, key_id, operation)
) STRICT, WITHOUT ROWID;

-- Bears all that an account's calls of one operation are asked for.
CREATE INDEX usage_by_account ON usage (account_id, operation, admitted, last_at);
CREATE INDEX usage_by_key ON usage (key_id, last_at);

INSERT INTO usage (day, account_id, key_id, operation, admitted, refused, banned, status_2xx, status_3xx, status_4xx, status_5xx, last_at)
  SELECT last_at / 86400000, account_id, 0, 'getPet', calls, 0, 0, 0, 0, 0, 0, last_at FROM deprecated_use;

DROP TABLE deprecated_use;

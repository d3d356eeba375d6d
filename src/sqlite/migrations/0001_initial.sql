-- What this store is; one row. A store belongs to one deployment for good.
CREATE TABLE store (
  deployment    TEXT NOT NULL CHECK (deployment IN ('production', 'staging')),
  cursor_secret BLOB NOT NULL
) STRICT;

CREATE TABLE account (
  id                      INTEGER PRIMARY KEY AUTOINCREMENT,
  name                    TEXT    NOT NULL UNIQUE,
  plan                    TEXT    NOT NULL CHECK (plan IN ('free', 'pro', 'business', 'enterprise')),
  per_minute              INTEGER NOT NULL CHECK (per_minute > 0),
  per_day                 INTEGER NOT NULL CHECK (per_day > 0),
  created_at              INTEGER NOT NULL
) STRICT;

CREATE TABLE api_key (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id  INTEGER NOT NULL REFERENCES account (id),
  hash        TEXT    NOT NULL UNIQUE,
  hint        TEXT    NOT NULL,
  name        TEXT,
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER,
  revoked_at  INTEGER,
  -- The successor that it was rotated to.
  replaced_by INTEGER REFERENCES api_key (id)
) STRICT;

CREATE INDEX api_key_by_account ON api_key (account_id);

CREATE TABLE ban (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  key_id     INTEGER NOT NULL REFERENCES api_key (id),
  started_at INTEGER NOT NULL,
  ends_at    INTEGER NOT NULL,
  ordinal    INTEGER NOT NULL,
  lifted_at  INTEGER
) STRICT;

CREATE INDEX ban_by_key ON ban (key_id, id);

-- AUTOINCREMENT: the id of a deleted animal is never used again.
CREATE TABLE pet (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  name        TEXT    NOT NULL,
  category_id INTEGER NOT NULL,
  status      TEXT    NOT NULL CHECK (status IN ('available', 'pending', 'sold'))
) STRICT;

CREATE INDEX pet_by_status ON pet (status, id);

-- The animal as it was first answered: a replay repeats that answer, whatever became of the animal.
CREATE TABLE idempotent_creation (
  account_id  INTEGER NOT NULL,
  key         TEXT    NOT NULL,
  fingerprint TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  pet_id      INTEGER NOT NULL,
  name        TEXT    NOT NULL,
  category_id INTEGER NOT NULL,
  status      TEXT    NOT NULL,
  PRIMARY KEY (account_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotent_creation_by_age ON idempotent_creation (created_at);

-- What an account has used in its two windows; a window that never began is null.
CREATE TABLE account_count (
  account_id       INTEGER PRIMARY KEY REFERENCES account (id),
  minute_used      INTEGER,
  minute_resets_at INTEGER,
  day_used         INTEGER,
  day_resets_at    INTEGER
) STRICT;

CREATE TABLE deprecated_use (
  account_id INTEGER PRIMARY KEY REFERENCES account (id),
  calls      INTEGER NOT NULL,
  last_at    INTEGER NOT NULL
) STRICT;

-- Numbers that tell a reader in any process what it may keep in memory; one row.
CREATE TABLE revision (
  callers     INTEGER NOT NULL,
  corrections INTEGER NOT NULL
) STRICT;

INSERT INTO revision (callers, corrections) VALUES (0, 0);

CREATE TRIGGER account_created AFTER INSERT ON account BEGIN UPDATE revision SET callers = callers + 1; END;
CREATE TRIGGER account_changed AFTER UPDATE ON account BEGIN UPDATE revision SET callers = callers + 1; END;
CREATE TRIGGER account_deleted AFTER DELETE ON account BEGIN UPDATE revision SET callers = callers + 1; END;
CREATE TRIGGER key_created AFTER INSERT ON api_key BEGIN UPDATE revision SET callers = callers + 1; END;
CREATE TRIGGER key_changed AFTER UPDATE ON api_key BEGIN UPDATE revision SET callers = callers + 1; END;
CREATE TRIGGER key_deleted AFTER DELETE ON api_key BEGIN UPDATE revision SET callers = callers + 1; END;
CREATE TRIGGER ban_created AFTER INSERT ON ban BEGIN UPDATE revision SET callers = callers + 1; END;
CREATE TRIGGER ban_changed AFTER UPDATE ON ban BEGIN UPDATE revision SET callers = callers + 1; END;
CREATE TRIGGER ban_deleted AFTER DELETE ON ban BEGIN UPDATE revision SET callers = callers + 1; END;
CREATE TRIGGER pet_changed AFTER UPDATE ON pet BEGIN UPDATE revision SET corrections = corrections + 1; END;
CREATE TRIGGER pet_deleted AFTER DELETE ON pet BEGIN UPDATE revision SET corrections = corrections + 1; END;

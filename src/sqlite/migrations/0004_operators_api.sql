-- Names of accounts are unique regardless of case. Older names that differ in nothing else stay: each but the first gets its id added to its
-- key, behind a character that no name has. A row that something else has written has none.
ALTER TABLE account ADD COLUMN name_key TEXT;
UPDATE account SET name_key = name_key(name);
UPDATE account SET name_key = name_key || char(31) || id
  WHERE id NOT IN (SELECT min(id) FROM account GROUP BY name_key);
CREATE UNIQUE INDEX account_by_name_key ON account (name_key);

ALTER TABLE api_key ADD COLUMN scope TEXT NOT NULL DEFAULT 'read-write' CHECK (scope IN ('read', 'read-write'));
-- The networks from which it may call, as CIDR with spaces between; from anywhere if null.
ALTER TABLE api_key ADD COLUMN networks TEXT;

-- The name as it is searched. A row that something else has written has none.
ALTER TABLE pet ADD COLUMN search_name TEXT NOT NULL DEFAULT '';
UPDATE pet SET search_name = fold(name);

-- What operators changed about animals. The entry of the audit log says who, when and from where; the new values are null for a deletion.
CREATE TABLE pet_change (
  pet_id          INTEGER NOT NULL,
  audit_id        INTEGER NOT NULL,
  old_name        TEXT    NOT NULL,
  old_category_id INTEGER NOT NULL,
  old_status      TEXT    NOT NULL,
  new_name        TEXT,
  new_category_id INTEGER,
  new_status      TEXT,
  PRIMARY KEY (pet_id, audit_id)
) STRICT, WITHOUT ROWID;

-- The labels of categories. Any other category has none.
CREATE TABLE category (
  id    INTEGER PRIMARY KEY,
  label TEXT    NOT NULL
) STRICT;

-- The token of the operator; null for commands and refused sign-ins.
ALTER TABLE audit ADD COLUMN token_id INTEGER;
-- JSON objects of values: what the subject was like before and after, as far as it was changed.
ALTER TABLE audit ADD COLUMN before_values TEXT;
ALTER TABLE audit ADD COLUMN after_values TEXT;
-- What tokens did is recorded as done by "Name (token 7)" at an address.
DROP TRIGGER audit_is_not_changed;
UPDATE audit SET token_id = CAST(substr(actor, length(rtrim(actor, '0123456789)')) + 1) AS INTEGER)
  WHERE origin <> 'command line' AND actor GLOB '* (token [0-9]*)';
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN SELECT raise(ABORT, 'the audit log is append-only'); END;
CREATE INDEX audit_by_subject ON audit (subject_id, id);
CREATE INDEX audit_by_token ON audit (token_id, id);
CREATE INDEX audit_by_time ON audit (at, id);

-- A key that does not exist yet: whoever claims the link first creates it.
CREATE TABLE claim_link (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  hash           TEXT    NOT NULL UNIQUE,
  account_id     INTEGER NOT NULL REFERENCES account (id),
  name           TEXT,
  scope          TEXT    NOT NULL CHECK (scope IN ('read', 'read-write')),
  networks       TEXT,
  key_expires_at INTEGER,
  created_at     INTEGER NOT NULL,
  expires_at     INTEGER NOT NULL,
  claimed_at     INTEGER,
  claimed_from   TEXT,
  key_id         INTEGER REFERENCES api_key (id),
  revoked_at     INTEGER
) STRICT;

CREATE INDEX claim_link_by_account ON claim_link (account_id, id);
CREATE INDEX claim_link_by_key ON claim_link (key_id);

-- Signs a browser in once.
CREATE TABLE sign_in_link (
  hash       TEXT    PRIMARY KEY,
  token_id   INTEGER NOT NULL REFERENCES operator_token (id),
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Calls by hour (hours since 1970, UTC), which are kept for some weeks, as `usage` has them by day.
CREATE TABLE hourly_usage (
  hour       INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
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
  PRIMARY KEY (hour, account_id, key_id, operation)
) STRICT, WITHOUT ROWID;

-- The same calls without their keys, and without their accounts: most questions are answered from these, whatever the number of keys.
CREATE TABLE account_usage (
  day        INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  operation  TEXT    NOT NULL,
  admitted   INTEGER NOT NULL,
  refused    INTEGER NOT NULL,
  banned     INTEGER NOT NULL,
  status_2xx INTEGER NOT NULL,
  status_3xx INTEGER NOT NULL,
  status_4xx INTEGER NOT NULL,
  status_5xx INTEGER NOT NULL,
  last_at    INTEGER NOT NULL,
  PRIMARY KEY (day, account_id, operation)
) STRICT, WITHOUT ROWID;

CREATE TABLE hourly_account_usage (
  hour       INTEGER NOT NULL,
  account_id INTEGER NOT NULL,
  operation  TEXT    NOT NULL,
  admitted   INTEGER NOT NULL,
  refused    INTEGER NOT NULL,
  banned     INTEGER NOT NULL,
  status_2xx INTEGER NOT NULL,
  status_3xx INTEGER NOT NULL,
  status_4xx INTEGER NOT NULL,
  status_5xx INTEGER NOT NULL,
  last_at    INTEGER NOT NULL,
  PRIMARY KEY (hour, account_id, operation)
) STRICT, WITHOUT ROWID;

CREATE TABLE operation_usage (
  day        INTEGER NOT NULL,
  operation  TEXT    NOT NULL,
  admitted   INTEGER NOT NULL,
  refused    INTEGER NOT NULL,
  banned     INTEGER NOT NULL,
  status_2xx INTEGER NOT NULL,
  status_3xx INTEGER NOT NULL,
  status_4xx INTEGER NOT NULL,
  status_5xx INTEGER NOT NULL,
  last_at    INTEGER NOT NULL,
  PRIMARY KEY (day, operation)
) STRICT, WITHOUT ROWID;

CREATE TABLE hourly_operation_usage (
  hour       INTEGER NOT NULL,
  operation  TEXT    NOT NULL,
  admitted   INTEGER NOT NULL,
  refused    INTEGER NOT NULL,
  banned     INTEGER NOT NULL,
  status_2xx INTEGER NOT NULL,
  status_3xx INTEGER NOT NULL,
  status_4xx INTEGER NOT NULL,
  status_5xx INTEGER NOT NULL,
  last_at    INTEGER NOT NULL,
  PRIMARY KEY (hour, operation)
) STRICT, WITHOUT ROWID;

-- The latest call of each key. Not a column of the key: every change of a key makes the running services look it up again.
CREATE TABLE key_use (
  key_id  INTEGER PRIMARY KEY,
  last_at INTEGER NOT NULL
) STRICT;

INSERT INTO account_usage
  SELECT day, account_id, operation, sum(admitted), sum(refused), sum(banned),
    sum(status_2xx), sum(status_3xx), sum(status_4xx), sum(status_5xx), max(last_at)
  FROM usage GROUP BY day, account_id, operation;

INSERT INTO operation_usage
  SELECT day, operation, sum(admitted), sum(refused), sum(banned),
    sum(status_2xx), sum(status_3xx), sum(status_4xx), sum(status_5xx), max(last_at)
  FROM account_usage GROUP BY day, operation;

INSERT INTO key_use
  SELECT key_id, max(last_at) FROM usage WHERE key_id IN (SELECT id FROM api_key) GROUP BY key_id;

-- What they answered is now in the smaller tables, and a change of a count no longer changes an index for each key.
DROP INDEX usage_by_account;
DROP INDEX usage_by_key;

-- Has all that an account's calls of one operation are asked for.
CREATE INDEX account_usage_by_account ON account_usage (account_id, operation, admitted, last_at);

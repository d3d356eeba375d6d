-- Calls by hour (hours since 1970, UTC), which are kept for some weeks, as `usage` has them by day.
CREATE TABLE hourly_usage (
  hour       BIGINT NOT NULL,
  account_id BIGINT NOT NULL,
  key_id     BIGINT NOT NULL,
  operation  TEXT   COLLATE "C" NOT NULL,
  admitted   BIGINT NOT NULL,
  refused    BIGINT NOT NULL,
  banned     BIGINT NOT NULL,
  status_2xx BIGINT NOT NULL,
  status_3xx BIGINT NOT NULL,
  status_4xx BIGINT NOT NULL,
  status_5xx BIGINT NOT NULL,
  last_at    BIGINT NOT NULL,
  PRIMARY KEY (hour, account_id, key_id, operation)
) WITH (fillfactor = 70);

-- The same calls without their keys, and without their accounts: most questions are answered from these, whatever the number of keys.
CREATE TABLE account_usage (
  day        BIGINT NOT NULL,
  account_id BIGINT NOT NULL,
  operation  TEXT   COLLATE "C" NOT NULL,
  admitted   BIGINT NOT NULL,
  refused    BIGINT NOT NULL,
  banned     BIGINT NOT NULL,
  status_2xx BIGINT NOT NULL,
  status_3xx BIGINT NOT NULL,
  status_4xx BIGINT NOT NULL,
  status_5xx BIGINT NOT NULL,
  last_at    BIGINT NOT NULL,
  PRIMARY KEY (day, account_id, operation)
) WITH (fillfactor = 70);

CREATE TABLE hourly_account_usage (
  hour       BIGINT NOT NULL,
  account_id BIGINT NOT NULL,
  operation  TEXT   COLLATE "C" NOT NULL,
  admitted   BIGINT NOT NULL,
  refused    BIGINT NOT NULL,
  banned     BIGINT NOT NULL,
  status_2xx BIGINT NOT NULL,
  status_3xx BIGINT NOT NULL,
  status_4xx BIGINT NOT NULL,
  status_5xx BIGINT NOT NULL,
  last_at    BIGINT NOT NULL,
  PRIMARY KEY (hour, account_id, operation)
) WITH (fillfactor = 70);

CREATE TABLE operation_usage (
  day        BIGINT NOT NULL,
  operation  TEXT   COLLATE "C" NOT NULL,
  admitted   BIGINT NOT NULL,
  refused    BIGINT NOT NULL,
  banned     BIGINT NOT NULL,
  status_2xx BIGINT NOT NULL,
  status_3xx BIGINT NOT NULL,
  status_4xx BIGINT NOT NULL,
  status_5xx BIGINT NOT NULL,
  last_at    BIGINT NOT NULL,
  PRIMARY KEY (day, operation)
) WITH (fillfactor = 70);

CREATE TABLE hourly_operation_usage (
  hour       BIGINT NOT NULL,
  operation  TEXT   COLLATE "C" NOT NULL,
  admitted   BIGINT NOT NULL,
  refused    BIGINT NOT NULL,
  banned     BIGINT NOT NULL,
  status_2xx BIGINT NOT NULL,
  status_3xx BIGINT NOT NULL,
  status_4xx BIGINT NOT NULL,
  status_5xx BIGINT NOT NULL,
  last_at    BIGINT NOT NULL,
  PRIMARY KEY (hour, operation)
) WITH (fillfactor = 70);

-- The latest call of each key. Not a column of the key: every change of a key makes the running services look it up again.
CREATE TABLE key_use (
  key_id  BIGINT PRIMARY KEY,
  last_at BIGINT NOT NULL
) WITH (fillfactor = 70);

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

-- What they answered is now in the smaller tables.
DROP INDEX usage_by_account;
DROP INDEX usage_by_key;

CREATE INDEX account_usage_by_account ON account_usage (account_id, operation);

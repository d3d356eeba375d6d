-- The latest time at which the clock was known to be right. A clock that is far ahead of it deletes nothing.
ALTER TABLE store ADD COLUMN clock_confirmed_at BIGINT;

UPDATE store SET clock_confirmed_at = greatest(
  (SELECT max(at) FROM audit),
  (SELECT max(created_at) FROM account),
  (SELECT max(created_at) FROM api_key),
  (SELECT max(created_at) FROM idempotent_creation),
  (SELECT max(hour) * 3600000 FROM hourly_operation_usage)
);

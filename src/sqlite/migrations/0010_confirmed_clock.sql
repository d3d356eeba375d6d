-- The latest time at which the clock was known to be right. A clock that is far ahead of it deletes nothing.
ALTER TABLE store ADD COLUMN clock_confirmed_at INTEGER;

UPDATE store SET clock_confirmed_at = (
  SELECT max(at) FROM (
    SELECT max(at) AS at FROM audit
    UNION ALL SELECT max(created_at) FROM account
    UNION ALL SELECT max(created_at) FROM api_key
    UNION ALL SELECT max(created_at) FROM idempotent_creation
    UNION ALL SELECT max(hour) * 3600000 FROM hourly_operation_usage
  )
);

-- Which accounts and keys each change of `revision.callers` was about, so that instances forget these callers alone. The oldest rows are deleted in
-- the background: an instance that misses one forgets all callers.
CREATE TABLE caller_change (
  number     BIGINT NOT NULL,
  account_id BIGINT,
  key_id     BIGINT
);

CREATE INDEX caller_change_by_number ON caller_change (number);

-- Once for a statement, however many rows it changes; not at all if it changes none.
CREATE OR REPLACE FUNCTION count_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  newest BIGINT;
BEGIN
  IF NOT EXISTS (SELECT FROM changed) THEN
    RETURN NULL;
  ELSIF TG_TABLE_NAME = 'pet' THEN
    UPDATE revision SET corrections = corrections + 1;
    RETURN NULL;
  END IF;
  UPDATE revision SET callers = callers + 1 RETURNING callers INTO newest;
  IF TG_TABLE_NAME = 'account' THEN
    INSERT INTO caller_change (number, account_id) SELECT newest, id FROM changed;
  ELSIF TG_TABLE_NAME = 'api_key' THEN
    INSERT INTO caller_change (number, key_id) SELECT newest, id FROM changed;
  ELSE
    INSERT INTO caller_change (number, key_id) SELECT DISTINCT newest, key_id FROM changed;
  END IF;
  RETURN NULL;
END $$;

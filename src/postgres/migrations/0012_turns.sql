-- Operators' writes about animals take one turn after another, and all others another: a ban or a revocation does not wait behind a bulk change or an
-- import. The numbers in `revision` change at the end of a transaction, so no write waits for that row for longer than a commit takes.

-- Every write of an operator calls this first, for the table `pet` or `account`. Instances of 1.1.0 take the same turn for both, which is the row.
CREATE FUNCTION take_turn(subject REGCLASS) RETURNS VOID LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(subject::oid::int, 1);
  IF (SELECT version FROM store) < 10 THEN
    PERFORM FROM revision FOR UPDATE;
  END IF;
END $$;

-- Takes the turn of the animals if it is free.
CREATE FUNCTION try_turn() RETURNS BOOLEAN LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock('pet'::regclass::oid::int, 1) THEN
    RETURN false;
  ELSIF (SELECT version FROM store) < 10 THEN
    PERFORM FROM revision FOR UPDATE SKIP LOCKED;
    RETURN FOUND;
  END IF;
  RETURN true;
END $$;

-- Instances of 1.1.0 have the row before they change an animal: they must not wait for a turn that is waiting for the row.
CREATE FUNCTION keep_turn() RETURNS VOID LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF (SELECT version FROM store) < 10 THEN
    PERFORM FROM revision FOR UPDATE;
  ELSE
    PERFORM pg_advisory_xact_lock('pet'::regclass::oid::int, 1);
  END IF;
END $$;

-- As before, but with the turn instead of the row.
CREATE OR REPLACE FUNCTION note_changes() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM former) THEN
    RETURN NULL;
  END IF;
  PERFORM keep_turn();
  INSERT INTO pet_recount (id, category_id, status)
    SELECT former.id, former.category_id, former.status FROM pet_progress, former JOIN changed ON changed.id = former.id
    WHERE former.id <= counted_to AND (changed.category_id <> former.category_id OR changed.status <> former.status)
  ON CONFLICT DO NOTHING;
  INSERT INTO pet_renamed (id)
    SELECT former.id FROM pet_progress, former JOIN changed ON changed.id = former.id
    WHERE former.id <= indexed_to AND changed.name <> former.name
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_deletions() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM former) THEN
    RETURN NULL;
  END IF;
  PERFORM keep_turn();
  INSERT INTO pet_recount (id, category_id, status)
    SELECT id, category_id, status FROM pet_progress, former WHERE id <= counted_to
  ON CONFLICT DO NOTHING;
  INSERT INTO pet_renamed (id) SELECT id FROM pet_progress, former WHERE id <= indexed_to
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

-- One row, which is updated for every change of animals: its trigger raises `revision.corrections` at the end of the transaction.
CREATE TABLE correction (
  statements BIGINT NOT NULL
) WITH (fillfactor = 50);

INSERT INTO correction (statements) VALUES (0);

CREATE FUNCTION count_correction() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE revision SET corrections = corrections + 1;
  RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER correction_is_counted AFTER UPDATE ON correction DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION count_correction();

-- As in 0011_named_changes.sql, but the number of corrections changes at the end of the transaction.
CREATE OR REPLACE FUNCTION count_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  newest BIGINT;
BEGIN
  IF NOT EXISTS (SELECT FROM changed) THEN
    RETURN NULL;
  ELSIF TG_TABLE_NAME = 'pet' THEN
    UPDATE correction SET statements = statements + 1;
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

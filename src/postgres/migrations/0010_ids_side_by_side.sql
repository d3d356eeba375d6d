-- Instances create animals side by side, with ids from the sequence: one may become visible after a higher one
-- (docs/decisions/0013-ids-from-a-sequence.md).

-- From here on, ids are drawn: the first must not be 0.
SELECT setval('pet_id', greatest(lock_pet_ids(), (SELECT max(id) FROM pet)));

-- Every transaction that draws ids calls this first. Those that set the sequence, such as an import, wait for it with `lock_pet_ids`, and it for them.
CREATE FUNCTION begin_creation() RETURNS VOID LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  -- A transaction must have its own id before it draws one for an animal.
  PERFORM pg_current_xact_id();
  IF (SELECT version FROM store) < 10 THEN
    -- An instance of 1.1.0 may be serving, which relies on ids in the order of the commits.
    PERFORM lock_pet_ids();
  ELSE
    PERFORM pg_advisory_xact_lock_shared('pet'::regclass::oid::int, 0);
  END IF;
END $$;

-- As before, but an idempotency key is claimed instead of waiting for all other creations: a second request with it waits until the first one is
-- committed, and then reads its result with a statement of its own. The keys are claimed in a fixed order, so that batches do not deadlock, and
-- before ids are drawn, so that a repeated request takes none.
CREATE OR REPLACE FUNCTION create_pets(names TEXT[], category_ids BIGINT[], statuses TEXT[], account_ids BIGINT[], keys TEXT[],
  fingerprints TEXT[], created_ats BIGINT[], sinces BIGINT[])
RETURNS TABLE (place BIGINT, fingerprint TEXT, id BIGINT, name TEXT, category_id BIGINT, status TEXT)
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  claimed BIGINT[] := '{}';
  -- How long a key is remembered.
  lifetime BIGINT := (SELECT max(created_at - since) FROM unnest(created_ats, sinces) AS one (created_at, since));
BEGIN
  PERFORM begin_creation();
  IF lifetime IS NOT NULL THEN
    WITH wish AS MATERIALIZED (
      SELECT * FROM unnest(names, category_ids, statuses, account_ids, keys, fingerprints, created_ats)
        WITH ORDINALITY AS one (name, category_id, status, account_id, key, fingerprint, created_at, place)
      WHERE key IS NOT NULL
    ), claim AS (
      INSERT INTO idempotent_creation AS done (account_id, key, fingerprint, created_at, pet_id, name, category_id, status)
        SELECT account_id, key, fingerprint, created_at, 0, name, category_id, status FROM wish ORDER BY account_id, key
      ON CONFLICT (account_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, created_at = excluded.created_at,
        name = excluded.name, category_id = excluded.category_id, status = excluded.status
        WHERE done.created_at <= excluded.created_at - lifetime
      RETURNING account_id, key
    )
    SELECT coalesce(array_agg(wish.place), '{}') INTO claimed FROM claim JOIN wish USING (account_id, key);
  END IF;
  RETURN QUERY
  WITH wish AS MATERIALIZED (
    SELECT * FROM unnest(names, category_ids, statuses, account_ids, keys)
      WITH ORDINALITY AS one (name, category_id, status, account_id, key, place)
  ), new AS MATERIALIZED (
    SELECT sorted.*, nextval('pet_id') AS id
    FROM (SELECT * FROM wish WHERE key IS NULL OR place = ANY (claimed) ORDER BY place) AS sorted
  ), created AS (
    INSERT INTO pet (id, name, category_id, status) SELECT id, name, category_id, status FROM new
  ), remembered AS (
    UPDATE idempotent_creation AS done SET pet_id = new.id FROM new WHERE done.account_id = new.account_id AND done.key = new.key
  )
  SELECT place, done.fingerprint, done.pet_id, done.name, done.category_id, done.status
    FROM wish JOIN idempotent_creation AS done USING (account_id, key) WHERE place <> ALL (claimed)
  UNION ALL
  SELECT place, NULL, id, NULL, NULL, NULL FROM new;
END $$;

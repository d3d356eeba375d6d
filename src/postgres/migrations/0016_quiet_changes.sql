-- Only instances of 1.1.0 listen for changes; newer ones hear of them from Redis. Commits that notify wait for each other, so once the upgrade is
-- finished, none does.
CREATE OR REPLACE FUNCTION tell_revision() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF (SELECT version FROM store) < 10 THEN
    PERFORM pg_notify('petstore_' || TG_RELID, NEW.callers || ' ' || NEW.corrections);
  END IF;
  RETURN NULL;
END $$;

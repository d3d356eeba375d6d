-- For instances of 1.1.0, which serve beside newer ones while these replace them, and may take their place again.

-- How many migrations the store has seen. `version` is from now on the number that a program must at least know to work with it.
ALTER TABLE store ADD COLUMN migrations BIGINT;

-- Their search by name.
CREATE FUNCTION has_part(name TEXT, part TEXT) RETURNS BOOLEAN LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT strpos(fold(name), part COLLATE "C") > 0
$$;

-- They add and rename accounts without it.
CREATE FUNCTION fill_name_key() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.name_key := coalesce(NEW.name_key, name_key(NEW.name));
  ELSIF NEW.name <> OLD.name AND NEW.name_key IS NOT DISTINCT FROM OLD.name_key THEN
    NEW.name_key := name_key(NEW.name);
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER account_has_name_key BEFORE INSERT OR UPDATE ON account FOR EACH ROW EXECUTE FUNCTION fill_name_key();

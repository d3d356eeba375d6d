-- Of what an animal is, so that a bit that has flipped on the disk is noticed. A row that something else has written has none.
ALTER TABLE pet ADD COLUMN checksum INTEGER;

UPDATE pet SET checksum = pet_checksum(name, category_id, status);

CREATE TRIGGER pet_checksum_is_dropped AFTER UPDATE OF name, category_id, status ON pet
WHEN NEW.checksum IS OLD.checksum
BEGIN
  UPDATE pet SET checksum = NULL WHERE id = NEW.id;
END;

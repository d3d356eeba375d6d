-- The animals that are deleted, with the entry of the deletion: finding them in `pet_change` would mean reading all of it. Each row has its values
-- there: whatever deletes that history must delete the row, too.
CREATE TABLE deleted_pet (
  pet_id   INTEGER PRIMARY KEY,
  audit_id INTEGER NOT NULL
) STRICT;

INSERT INTO deleted_pet (pet_id, audit_id)
SELECT pet_id, max(audit_id) FROM pet_change
WHERE new_name IS NULL AND NOT EXISTS (SELECT 1 FROM pet WHERE id = pet_id) GROUP BY pet_id;

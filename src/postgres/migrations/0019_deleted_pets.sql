-- The animals that are deleted, with the entry of the deletion: finding them in `pet_change` would mean reading all of it. Each row has its values
-- there: whatever deletes that history must delete the row, too.
CREATE TABLE deleted_pet (
  pet_id   BIGINT PRIMARY KEY,
  audit_id BIGINT NOT NULL
);

-- One pass over the history. Operators' writes about animals wait meanwhile, so no deletion is missed.
INSERT INTO deleted_pet (pet_id, audit_id)
SELECT pet_id, max(audit_id) FROM pet_change
WHERE new_name IS NULL AND NOT EXISTS (SELECT FROM pet WHERE id = pet_id) GROUP BY pet_id;

ANALYZE deleted_pet;

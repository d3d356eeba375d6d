-- An animal that comes back did not exist before: it has no old values.
ALTER TABLE pet_change
  ALTER COLUMN old_name DROP NOT NULL,
  ALTER COLUMN old_category_id DROP NOT NULL,
  ALTER COLUMN old_status DROP NOT NULL;

-- Undoing an entry needs all animals that it changed.
CREATE INDEX pet_change_by_entry ON pet_change (audit_id, pet_id);

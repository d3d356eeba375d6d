-- When the files had the animal again. Only for one that was missing, and is not.
ALTER TABLE source_pet ADD COLUMN returned_at INTEGER;

-- An animal that comes back did not exist before: it has no old values. SQLite documents this way to drop a constraint without writing the table
-- again (sqlite.org/lang_altertable.html, "Making Other Kinds Of Table Schema Changes").
PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(replace(replace(
  sql,
  'old_name        TEXT    NOT NULL', 'old_name        TEXT'),
  'old_category_id INTEGER NOT NULL', 'old_category_id INTEGER'),
  'old_status      TEXT    NOT NULL', 'old_status      TEXT'
) WHERE type = 'table' AND name = 'pet_change';

PRAGMA writable_schema = RESET;

-- Undoing an entry needs all animals that it changed.
CREATE INDEX pet_change_by_entry ON pet_change (audit_id, pet_id);

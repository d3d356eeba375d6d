-- Feeds: files that other software writes again and again, each with all animals of a shelter and ids of its own.
CREATE TABLE source (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  name          TEXT    NOT NULL,
  key_column    TEXT,
  missing       TEXT    NOT NULL CHECK (missing IN ('sold', 'delete', 'keep')),
  max_removals  TEXT,
  -- How long after a file the next one is expected; learned from the runs if null.
  pause_seconds INTEGER,
  created_at    INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX source_by_name ON source (lower(name));

-- The animals that a source has added. A row outlives its animal, which may come back.
CREATE TABLE source_pet (
  source_id     INTEGER NOT NULL REFERENCES source (id),
  external_id   TEXT    NOT NULL,
  pet_id        INTEGER NOT NULL,
  -- Since when the files lack the animal.
  missing_since INTEGER,
  PRIMARY KEY (source_id, external_id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX source_pet_by_pet ON source_pet (pet_id);
CREATE INDEX source_pet_by_external_id ON source_pet (external_id);

-- The last files of each source.
CREATE TABLE source_run (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  source_id  INTEGER NOT NULL REFERENCES source (id),
  at         INTEGER NOT NULL,
  actor      TEXT    NOT NULL,
  token_id   INTEGER,
  file       TEXT    NOT NULL,
  read       INTEGER NOT NULL,
  added      INTEGER NOT NULL,
  corrected  INTEGER NOT NULL,
  returned   INTEGER NOT NULL,
  removed    INTEGER NOT NULL,
  unchanged  INTEGER NOT NULL,
  left_out   INTEGER NOT NULL,
  -- The entry of the audit log, if animals were changed.
  audit_id   INTEGER,
  -- Why the file was refused, if it was.
  refusal    TEXT,
  -- JSON: why lines are bad.
  reasons    TEXT    NOT NULL
) STRICT;

CREATE INDEX source_run_by_source ON source_run (source_id, id);

-- The source whose file a token of the role `feed` may send, and nothing else.
ALTER TABLE operator_token ADD COLUMN source TEXT;

-- SQLite documents this way to change a constraint without writing the table again.
PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (role IN (''staff'', ''admin''))', 'CHECK (role IN (''feed'', ''staff'', ''admin''))')
WHERE type = 'table' AND name = 'operator_token';

PRAGMA writable_schema = RESET;

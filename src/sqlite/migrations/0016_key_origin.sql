-- Where the latest call of each key came from. Not in key_use: it names the address of a person, and is kept only as long as usage.
CREATE TABLE key_origin (
  key_id    INTEGER PRIMARY KEY,
  last_at   INTEGER NOT NULL,
  last_from TEXT    NOT NULL
) STRICT;

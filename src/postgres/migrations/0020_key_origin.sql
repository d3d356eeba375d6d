-- Where the latest call of each key came from. Not in key_use: it names the address of a person, and is kept only as long as usage.
CREATE TABLE key_origin (
  key_id    BIGINT PRIMARY KEY,
  last_at   BIGINT NOT NULL,
  last_from TEXT   NOT NULL
) WITH (fillfactor = 70);

ALTER TABLE added_usage ADD COLUMN last_from TEXT;

-- What is derived from the animals, so that no question has to read all of them. A service brings it up to date in the background: creating an
-- animal writes nothing here, and what is not yet here is read from the animals themselves.

-- How many animals there are of each category and status, among those with ids up to `counted_to`.
CREATE TABLE pet_count (
  category_id INTEGER NOT NULL,
  status      TEXT    NOT NULL,
  animals     INTEGER NOT NULL,
  PRIMARY KEY (category_id, status)
) STRICT, WITHOUT ROWID;

-- The names of the animals with ids up to `indexed_to`, by every three letters in a row. It has no copy of the names.
CREATE VIRTUAL TABLE pet_search USING fts5(
  search_name, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);

-- Up to which ids animals have been counted and indexed; one row.
CREATE TABLE pet_progress (
  counted_to INTEGER NOT NULL,
  indexed_to INTEGER NOT NULL
) STRICT;

INSERT INTO pet_progress (counted_to, indexed_to) VALUES (0, 0);

-- Animals that have changed or are gone since they were counted, as they were counted.
CREATE TABLE pet_recount (
  id          INTEGER PRIMARY KEY,
  category_id INTEGER NOT NULL,
  status      TEXT    NOT NULL
) STRICT;

-- Animals whose names have changed, or that are gone, since they were indexed.
CREATE TABLE pet_renamed (
  id INTEGER PRIMARY KEY
) STRICT;

CREATE TRIGGER pet_is_recounted AFTER UPDATE OF category_id, status ON pet
WHEN (NEW.category_id <> OLD.category_id OR NEW.status <> OLD.status) AND OLD.id <= (SELECT counted_to FROM pet_progress)
BEGIN
  INSERT INTO pet_recount (id, category_id, status) VALUES (OLD.id, OLD.category_id, OLD.status) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER pet_is_renamed AFTER UPDATE OF search_name ON pet
WHEN NEW.search_name <> OLD.search_name AND OLD.id <= (SELECT indexed_to FROM pet_progress)
BEGIN
  INSERT INTO pet_renamed (id) VALUES (OLD.id) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER pet_is_counted_out AFTER DELETE ON pet
WHEN OLD.id <= (SELECT counted_to FROM pet_progress)
BEGIN
  INSERT INTO pet_recount (id, category_id, status) VALUES (OLD.id, OLD.category_id, OLD.status) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER pet_is_unnamed AFTER DELETE ON pet
WHEN OLD.id <= (SELECT indexed_to FROM pet_progress)
BEGIN
  INSERT INTO pet_renamed (id) VALUES (OLD.id) ON CONFLICT DO NOTHING;
END;

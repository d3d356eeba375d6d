-- How the files of a source are read: the meanings of their words, one on each line, and whether new categories are labelled.
ALTER TABLE source ADD COLUMN meanings TEXT;
ALTER TABLE source ADD COLUMN new_categories INTEGER NOT NULL DEFAULT 0;

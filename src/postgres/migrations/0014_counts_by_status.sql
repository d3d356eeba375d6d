-- How many animals there are of each status, among those with ids up to `counted_to`.
CREATE TABLE pet_total (
  status  TEXT   COLLATE "C" PRIMARY KEY,
  animals BIGINT NOT NULL
);

INSERT INTO pet_total (status, animals) SELECT status, sum(animals) FROM pet_count GROUP BY status;

-- Callers can use any number of categories, so only some have counts. Those of a category include the animals above `after_id`, and there are none of
-- a category whose animals are all up to `dropped_to`.
ALTER TABLE pet_count ADD COLUMN after_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE pet_progress ADD COLUMN dropped_to BIGINT NOT NULL DEFAULT 0;

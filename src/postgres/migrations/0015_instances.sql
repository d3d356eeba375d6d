-- The instances that are serving (docs/decisions/0014-changes-are-acknowledged.md). No clock of any machine is compared with another: `renewals` shows
-- that an instance is alive. `seen`: it acts on nothing older than this change, by the sum of the numbers in `revision`.
CREATE TABLE instance (
  id           BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  seen         BIGINT  NOT NULL,
  renewals     BIGINT  NOT NULL DEFAULT 0,
  -- Without Redis, an instance must be the only one.
  counts_alone BOOLEAN NOT NULL
) WITH (fillfactor = 50);

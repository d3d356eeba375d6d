-- A ban applies to one source: a client address, or the /64 of an IPv6 address. Bans made before, or by an instance of an older release that
-- serves beside newer ones, have no source, and apply to every source until they end.
ALTER TABLE ban ADD COLUMN source TEXT COLLATE "C";

-- The window that was exhausted: a ban earned in an exhausted day does not lengthen the next one.
ALTER TABLE ban ADD COLUMN earned_in TEXT COLLATE "C" CHECK (earned_in IN ('minute', 'day'));

CREATE INDEX ban_of_key_by_end ON ban (key_id, ends_at);
CREATE INDEX ban_by_end ON ban (ends_at);

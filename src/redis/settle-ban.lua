-- Ends the claim of a ban (consume.lua) after the ban was stored, or could not be.
--
-- KEYS[1] the account's hash
-- ARGV: 1 "KEY SOURCE", 2 the time of the claim, when the ban begins, and if the ban is stored: 3 id, 4 end, 5 ordinal

local field = 'ban:' .. ARGV[1]
if not ARGV[3] then
  local claimedAt = string.match(redis.call('HGET', KEYS[1], field) or '', '^claimed (%d+)')
  if claimedAt == ARGV[2] then redis.call('HDEL', KEYS[1], field) end
  return 0
end

-- Callers choose their sources, so bans that are over must not pile up.
for _, other in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(other, 1, 4) == 'ban:' then
    local endsAt = string.match(redis.call('HGET', KEYS[1], other), '^stored %d+ %d+ (%d+)')
    if endsAt and tonumber(endsAt) <= tonumber(ARGV[2]) then redis.call('HDEL', KEYS[1], other) end
  end
end

redis.call('HSET', KEYS[1], field, table.concat({ 'stored', ARGV[3], ARGV[2], ARGV[4], ARGV[5] }, ' '))
redis.call('HDEL', KEYS[1], 'strikes:' .. ARGV[1])
local lasts = tonumber(ARGV[4]) - tonumber(ARGV[2])
if redis.call('PTTL', KEYS[1]) < lasts then redis.call('PEXPIRE', KEYS[1], string.format('%.0f', lasts)) end
return 1

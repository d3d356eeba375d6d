-- Decides one call of an account or address in one step: ban, quota, strike. The arithmetic is that of `spend` (domain/rate-limiter.ts)
-- and `strike` (domain/ban.ts). consume.ts calls this script.
--
-- KEYS[1] is a hash:
--   used1 ends1, used2 ends2  the minute and the day; an address has only the minute
--   sources:KEY               "ends|SOURCE|…|": the end of the window that refused the key, and the sources that it has refused, the least
--                             recently refused one first
--   strikes:KEY SOURCE        "ends first times": the same end, the time of the first refusal, and for each ignored refusal nine digits, the
--                             milliseconds since then
--   ban:KEY SOURCE            "claimed at expires" while an instance stores the ban, then "stored id start end ordinal"
-- All times are Unix milliseconds. ARGV:
--   1 deadline on this server's clock: the caller does not wait longer, so nothing may be counted after it
--   2 now, if windows follow the caller's clock; otherwise empty
--   3 the task: "ask" (a call; returns "missing" if the hash does not exist and nothing is handed over), "count" (a call), "again" (a call
--     that has waited for a ban; it is not a strike), "peek" (counts only the calls that are handed over)
--   4 limit per minute, 5 limit per day or empty
--   6, 7 minute and 8, 9 day as the caller knows them: used, without the calls that it hands over, and end; 0 if unknown
--   10 "KEY SOURCE", the API key and where the call comes from; empty for an address
--   11 the number of ignored refusals that trigger a ban, 0 if the key cannot be banned; 12 within how many milliseconds
--   13, 14, 15 the newest ban of the key for the source that the caller knows: id, start, end; 0 or absent if none
--   16, 17 the calls that the caller has admitted alone in these windows and hands over: minute, day; absent if none
-- Returns: outcome, clock, now, used and end of each window, end of the ban. A number that does not apply is 0; with "late" and "missing", only
-- the clock applies.

-- As in domain/ban.ts.
local GRACE = 10000
local MAX_SOURCES = 256
-- In a list of strikes, each has as many digits as the milliseconds of two days.
local DIGITS = 9
local CLAIM = 5000

-- Anything that this script cannot have written is read as 0, because a reply based on it would be rejected.
local function number(text)
  return text and #text <= 15 and tonumber(string.match(text, '^%d+$')) or 0
end

local function numbers(text)
  local list = {}
  for word in string.gmatch(text or '', '%d+') do list[#list + 1] = number(word) end
  return list
end

local key, task, id = KEYS[1], ARGV[3], ARGV[10]
local time = redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)
if clock > tonumber(ARGV[1]) then return { 'late', clock, 0, 0, 0, 0, 0, 0 } end
local now = tonumber(ARGV[2]) or clock

local record = redis.pcall('HMGET', key, 'used1', 'ends1', 'used2', 'ends2', 'ban:' .. id)
if record.err then
  if not string.find(record.err, 'WRONGTYPE', 1, true) then return record end
  redis.call('DEL', key)
  record = {}
end
if task == 'ask' and not record[1] and (ARGV[16] or '0') == '0' and (ARGV[17] or '0') == '0' then
  return { 'missing', clock, 0, 0, 0, 0, 0, 0 }
end

-- Fast path for most calls: both windows have begun and have calls left, the hash will expire, and neither the hash nor the caller has anything
-- else to consider. The steps skipped here would change nothing. A count or an end that this script cannot have written takes the slow path.
if task == 'ask' and not record[5] and #ARGV == 12 then
  local used1, ends1, used2, ends2 = tonumber(record[1]), tonumber(record[2]), tonumber(record[3]), tonumber(record[4])
  if used1 and ends1 and used2 and ends2
    and now < ends1 and ends1 - now <= 120000 and now < ends2 and ends2 - now <= 172800000
    and used1 >= 0 and used1 % 1 == 0 and used1 < tonumber(ARGV[4])
    and used2 >= 0 and used2 % 1 == 0 and used2 < tonumber(ARGV[5]) and ends1 % 1 == 0 and ends2 % 1 == 0
  then
    local known1, known2 = tonumber(ARGV[7]), tonumber(ARGV[9])
    if (known1 ~= ends1 or tonumber(ARGV[6]) <= used1) and (known2 ~= ends2 or tonumber(ARGV[8]) <= used2)
      and redis.call('PTTL', key) > 0
    then
      redis.call('HSET', key, 'used1', used1 + 1, 'used2', used2 + 1)
      return { 'admitted', clock, now, used1 + 1, ends1, used2 + 1, ends2, 0 }
    end
  end
end

local FIELDS = { 'used1', 'ends1', 'used2', 'ends2' }
local places = ARGV[5] == '' and 1 or 2
-- The count and end of each window as found in the hash; then the current ones, and whether the window has begun.
local found = { 0, 0, 0, 0 }
local used, ends, hasBegun = {}, {}, {}
local hasQuota, isNewDay = true, false
for place = 1, places do
  local field, length = 2 * place, place == 1 and 60000 or 86400000
  local count, resetsAt = number(record[field - 1]), number(record[field])
  found[field - 1], found[field] = count, resetsAt
  -- Whether the window is over: `current` in domain/rate-limiter.ts.
  if now >= resetsAt or resetsAt - now > 2 * length then
    isNewDay = place == 2 and resetsAt > 0
    count, resetsAt = 0, 0
  end
  local known, knownEnds = tonumber(ARGV[field + 4]), tonumber(ARGV[field + 5])
  if now < knownEnds and knownEnds - now <= 2 * length then
    -- A window never moves, even if an instance has begun a different one alone.
    if resetsAt == 0 then
      count, resetsAt = known, knownEnds
    elseif resetsAt == knownEnds and known > count then
      count = known
    end
    count = count + tonumber(ARGV[place + 15] or 0)
  end
  hasQuota = hasQuota and count < tonumber(ARGV[place + 3])
  used[place], hasBegun[place] = count, resetsAt > 0
  if resetsAt == 0 then resetsAt = place == 1 and now + length or (math.floor(now / length) + 1) * length end
  ends[place] = resetsAt
end

local outcome, bannedUntil, newStrikes, newBan
local keepUntil = 0

-- Ban.
local banId, banStart, banEnd = tonumber(ARGV[13] or 0), tonumber(ARGV[14] or 0), tonumber(ARGV[15] or 0)
if record[5] then
  local kind, parts = string.match(record[5], '^%a+'), numbers(record[5])
  if kind == 'stored' and #parts == 4 and parts[1] > banId and now < parts[3] then
    outcome, bannedUntil, keepUntil = 'banned', parts[3], parts[3]
  elseif kind == 'claimed' and #parts == 2 and banStart >= parts[1] then
    -- The instance that claimed the ban has stored it, but could not report that here.
    redis.call('HDEL', key, 'ban:' .. id, 'strikes:' .. id)
  elseif kind == 'claimed' and #parts == 2 and clock < parts[2] and parts[2] - clock <= CLAIM then
    outcome = 'pending'
  end
end
if not outcome and now < banEnd then
  outcome, bannedUntil = 'banned', banEnd
end

-- Quota.
if not outcome then
  if task == 'peek' then
    outcome = 'known'
  elseif hasQuota then
    outcome = 'admitted'
    for place = 1, places do
      used[place], hasBegun[place] = used[place] + 1, true
    end
  else
    outcome = 'refused'
  end
end

-- Strike.
local newSources
local after = tonumber(ARGV[11])
if outcome == 'refused' and after > 0 and task ~= 'again' then
  -- The refusal is about the window with the fewest calls remaining; if equal, about the one that resets later.
  local fewest, about = math.huge, 0
  for place = 1, places do
    local remaining = math.max(0, tonumber(ARGV[place + 3]) - used[place])
    if remaining < fewest or (remaining == fewest and ends[place] > about) then
      fewest, about = remaining, ends[place]
    end
  end
  local keyId, source = string.match(id, '^(%d+) (.+)$')
  local written = redis.call('HMGET', key, 'sources:' .. keyId, 'strikes:' .. id)

  -- Move the source to the end of the list. What is no longer listed is forgotten.
  local window = string.format('%.0f', about)
  local list, forgotten = written[1] or '', {}
  if string.sub(list, 1, #window + 1) ~= window .. '|' then
    for other in string.gmatch(list, '|([^|]+)') do forgotten[#forgotten + 1] = 'strikes:' .. keyId .. ' ' .. other end
    list = window .. '|'
  end
  local from, to = string.find(list, '|' .. source .. '|', 1, true)
  if from then
    list = string.sub(list, 1, from) .. string.sub(list, to + 1)
  elseif select(2, string.gsub(list, '|', '|')) > MAX_SOURCES then
    local oldest = string.match(list, '|([^|]+)')
    forgotten[1] = 'strikes:' .. keyId .. ' ' .. oldest
    list = window .. string.sub(list, #window + #oldest + 2)
  end
  list = list .. source .. '|'
  if #forgotten > 0 then redis.call('HDEL', key, unpack(forgotten)) end
  if list ~= written[1] then newSources = list end

  local struckWindow, firstText, times = string.match(written[2] or '', '^(%d+) (%d+) (%d*)$')
  local first = number(firstText)
  if not from or struckWindow ~= window or first == 0 or #times % DIGITS > 0 then first, times = now, '' end
  if now - first >= GRACE then
    local start, oldestKept = 1, now - tonumber(ARGV[12]) - first
    while start < #times and tonumber(string.sub(times, start, start + DIGITS - 1)) <= oldestKept do start = start + DIGITS end
    times = string.sub(times, math.max(start, #times - DIGITS * (after - 1) + 1)) .. string.format('%09.0f', now - first)
    if #times >= DIGITS * after then
      -- The instance that claims the ban stores it. Until then, or if that fails, there is no ban.
      outcome = 'claimed'
      newBan = string.format('claimed %.0f %.0f', now, clock + CLAIM)
    end
  end
  newStrikes = string.format('%s %.0f %s', window, first, times)
  if newStrikes == written[2] then newStrikes = nil end
end

-- All changes are written with one command: with several, the second could fail due to lack of memory.
local changes, size = { nil, nil, nil, nil, nil, nil, nil, nil }, 0
for place = 1, places do
  if hasBegun[place] then
    local field = 2 * place
    if ends[place] > keepUntil then keepUntil = ends[place] end
    if used[place] ~= found[field - 1] then
      changes[size + 1], changes[size + 2] = FIELDS[field - 1], used[place]
      size = size + 2
    end
    if ends[place] ~= found[field] then
      changes[size + 1], changes[size + 2] = FIELDS[field], ends[place]
      size = size + 2
    end
  end
end
if newStrikes then
  changes[size + 1], changes[size + 2] = 'strikes:' .. id, newStrikes
  size = size + 2
end
if newSources then
  changes[size + 1], changes[size + 2] = 'sources:' .. string.match(id, '^%d+'), newSources
  size = size + 2
end
if newBan then
  changes[size + 1], changes[size + 2] = 'ban:' .. id, newBan
  size = size + 2
end
if size > 0 then redis.call('HSET', key, unpack(changes, 1, size)) end

if isNewDay then
  -- Otherwise strikes and bans of unused keys would remain as long as the account keeps calling.
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if string.find(field, ':', 1, true) then
      local latest = math.max(0, unpack(numbers(redis.call('HGET', key, field))))
      if latest <= now then redis.call('HDEL', key, field) end
    end
  end
end

local left, needed = redis.call('PTTL', key), math.max(keepUntil - now, 1)
if left ~= -2 and left < needed then redis.call('PEXPIRE', key, needed) end

return { outcome, clock, now, used[1], ends[1], used[2] or 0, ends[2] or 0, bannedUntil or 0 }

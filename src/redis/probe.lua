-- Fails if this server cannot be written. Returns its clock: Unix milliseconds.
redis.call('SET', KEYS[1], '1', 'PX', 1000)
local time = redis.call('TIME')
return time[1] * 1000 + math.floor(time[2] / 1000)

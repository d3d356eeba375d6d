-- Fails if this server cannot be written. Uses only commands that counting needs, too. Returns its clock: Unix milliseconds.
redis.call('HSET', KEYS[1], 'probe', '1')
redis.call('PEXPIRE', KEYS[1], 1000)
local time = redis.call('TIME')
return time[1] * 1000 + math.floor(time[2] / 1000)

-- Runs each command that the other scripts run, on a key of its own, which it removes. Fails with the name of the first command that is denied.

local function run(command, ...)
  local reply = redis.pcall(command, ...)
  if type(reply) == 'table' and reply.err then error('[' .. command .. '] ' .. reply.err, 0) end
end

run('TIME')
run('HSET', KEYS[1], 'trial', '1')
run('HMGET', KEYS[1], 'trial')
run('HGET', KEYS[1], 'trial')
run('HKEYS', KEYS[1])
run('PEXPIRE', KEYS[1], 1000)
run('PTTL', KEYS[1])
run('HDEL', KEYS[1], 'trial')
run('DEL', KEYS[1])
run('PUBLISH', KEYS[1], '')
return 1

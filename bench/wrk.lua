-- Sends the calls that an order file lists: method, body, then one key and path a line, picked at random.
local requests = {}

function init(args)
  local file = assert(io.open(args[1]))
  local method, body = file:read('*l'), file:read('*l')
  local headers = {}
  if body == '' then
    body = nil
  else
    headers['Content-Type'] = 'application/json'
  end
  for line in file:lines() do
    local key, path = line:match('^(%S+) (%S+)$')
    headers['Authorization'] = 'Bearer ' .. key
    requests[#requests + 1] = wrk.format(method, path, headers, body)
  end
  file:close()
  math.randomseed(os.time())
end

function request()
  return requests[math.random(#requests)]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"calls":%d,"failures":%d,"seconds":%.6f,"p50Ms":%.3f,"p99Ms":%.3f}\n',
    summary.requests,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration / 1e6,
    latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3
  ))
end

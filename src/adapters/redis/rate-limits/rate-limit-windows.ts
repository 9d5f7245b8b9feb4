// The windows of rate limits in Lua: the twin of resilience/sliding-window. Each kind has its own records beside the
// limit's key:
//
//   requests        {key}              sorted set: permit id by the time it was taken; ZCARD is the count
//   tokens          {key}:tokens       sorted set: "{tokens}:{permit id}" by that time; {key}:tokens:sum their sum
//   tokens_per_day  {key}:day          hash: tokens by number of bucket, and `total`, `oldest`, `reserved`
//                   {key}:day:reserved sorted set: "{tokens}:{permit id}" by its expiry
//   concurrent      {key}:concurrent   sorted set: permit id by its expiry
//   each of them    {its key}:comeback the last due time given to a job
//
// A script runs at one timestamp. Entries that expired at the start of that millisecond are dropped when a window is
// opened, and new ones count from its end: rounding never widens a window. `open` is called once per window of a batch.

export const WINDOWS_LUA = `
local SUFFIX = { '', ':tokens', ':day', ':concurrent' }
local REQUESTS, TOKENS, DAY, SLOTS = 1, 2, 3, 4
local NEVER = math.huge
local BUCKETS, SLOT_RETRY = 288, 1000

local function weight_of(member)
  return tonumber(string.sub(member, 1, string.find(member, ':', 1, true) - 1))
end

local function sum_of(members)
  local sum = 0
  for _, member in ipairs(members) do sum = sum + weight_of(member) end
  return sum
end

local function first_until(key, length)
  local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  return first[2] and tonumber(first[2]) + length or NEVER
end

local function bucket_until(window, bucket)
  return (bucket + 1) * window.bucket_ms + window.length
end

local function drop_tokens(window)
  local over = redis.call('ZRANGEBYSCORE', window.key, '-inf', now - window.length)
  if #over > 0 then
    redis.call('ZREMRANGEBYSCORE', window.key, '-inf', now - window.length)
    redis.call('INCRBYFLOAT', window.key .. ':sum', -sum_of(over))
  end
  if redis.call('EXISTS', window.key) == 0 then redis.call('DEL', window.key .. ':sum') end
  window.used = tonumber(redis.call('GET', window.key .. ':sum') or 0)
end

local function drop_day(window)
  local reserved = window.key .. ':reserved'
  local over = redis.call('ZRANGEBYSCORE', reserved, '-inf', now)
  if #over > 0 then
    redis.call('ZREMRANGEBYSCORE', reserved, '-inf', now)
    redis.call('HINCRBYFLOAT', window.key, 'reserved', -sum_of(over))
  end
  local oldest = tonumber(redis.call('HGET', window.key, 'oldest') or NEVER)
  if bucket_until(window, oldest) <= now then
    local fields, left = redis.call('HGETALL', window.key), NEVER
    for index = 1, #fields, 2 do
      local bucket = tonumber(fields[index])
      if bucket and bucket_until(window, bucket) <= now then
        redis.call('HDEL', window.key, fields[index])
        redis.call('HINCRBYFLOAT', window.key, 'total', -tonumber(fields[index + 1]))
      elseif bucket then left = math.min(left, bucket) end
    end
    if left == NEVER then redis.call('HDEL', window.key, 'oldest', 'total')
    else redis.call('HSET', window.key, 'oldest', left) end
  end
  local sums = redis.call('HMGET', window.key, 'total', 'reserved')
  window.used = tonumber(sums[1] or 0) + tonumber(sums[2] or 0)
end

local function open(key, kind, length)
  local window = { key = key .. SUFFIX[kind], kind = kind, length = length }
  window.bucket_ms = math.ceil(length / BUCKETS)
  if kind == TOKENS then drop_tokens(window)
  elseif kind == DAY then drop_day(window)
  else
    if kind == SLOTS then window.length = 0 end
    redis.call('ZREMRANGEBYSCORE', window.key, '-inf', now - window.length)
    window.used = redis.call('ZCARD', window.key)
  end
  return window
end

-- When the next part is free; cached for the batch, because admissions of the batch expire last.
local function next_free(window)
  if window.used <= 0 then return NEVER end
  if window.next then return window.next end
  if window.kind ~= DAY then window.next = first_until(window.key, window.length)
  else
    local oldest = tonumber(redis.call('HGET', window.key, 'oldest') or NEVER)
    window.next = math.min(bucket_until(window, oldest), first_until(window.key .. ':reserved', 0))
  end
  return window.next
end

local function wait_for_tokens(window, needed)
  local from, freed = 0, 0
  while true do
    local found = redis.call('ZRANGE', window.key, from, from + 99, 'WITHSCORES')
    if #found == 0 then return NEVER end
    for index = 1, #found, 2 do
      freed = freed + weight_of(found[index])
      if freed >= needed then return tonumber(found[index + 1]) + window.length - now end
    end
    from = from + 100
  end
end

local function wait_for_day(window, needed)
  local parts = {}
  local fields = redis.call('HGETALL', window.key)
  for index = 1, #fields, 2 do
    local bucket = tonumber(fields[index])
    if bucket then parts[#parts + 1] = { bucket_until(window, bucket), tonumber(fields[index + 1]) } end
  end
  local reserved = redis.call('ZRANGE', window.key .. ':reserved', 0, -1, 'WITHSCORES')
  for index = 1, #reserved, 2 do
    parts[#parts + 1] = { tonumber(reserved[index + 1]), weight_of(reserved[index]) }
  end
  table.sort(parts, function(one, other) return one[1] < other[1] end)
  local freed = 0
  for _, part in ipairs(parts) do
    freed = freed + part[2]
    if freed >= needed then return part[1] - now end
  end
  return NEVER
end

local function wait_for(window, cost, max)
  local needed = window.used + cost - max
  if needed <= 0 then return 0 end
  if cost > max then return NEVER end
  if window.kind == TOKENS then return wait_for_tokens(window, needed) end
  if window.kind == DAY then return wait_for_day(window, needed) end
  local index = window.used - math.floor(max)
  local found = redis.call('ZRANGE', window.key, index, index, 'WITHSCORES')
  local wait = tonumber(found[2]) + window.length - now
  return window.kind == SLOTS and math.min(SLOT_RETRY, wait) or wait
end

-- Records whose members have their own expiry live as long as the last member; all others as long as window and TTL.
local function keep(key, window)
  local lives = math.max(ttl, window.length + window.bucket_ms)
  local is_same = window.kind == REQUESTS or window.kind == TOKENS
  if is_same and window[key] then return end
  window[key] = true
  if window.kind == SLOTS or window.kind == DAY and key ~= window.key then
    local last = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')
    lives = math.max(lives, tonumber(last[2]) - now)
  end
  redis.call('PEXPIRE', key, math.ceil(lives))
end

-- Adds one member; idempotent, so that a server that is unsure may repeat it.
local function put(window, key, score, member, weight)
  if redis.call('ZADD', key, 'NX', score, member) == 0 then return end
  window.used = window.used + weight
  if window.kind == DAY or window.next and score + window.length < window.next then
    window.next = nil
  end
  if window.kind == TOKENS then
    redis.call('INCRBYFLOAT', key .. ':sum', weight)
    keep(key .. ':sum', window)
  elseif window.kind == DAY then
    redis.call('HINCRBYFLOAT', window.key, 'reserved', weight)
    keep(window.key, window)
  end
  keep(key, window)
end

local function pull(window, key, member, weight)
  if redis.call('ZREM', key, member) == 0 then return false end
  window.used = window.used - weight
  window.next = nil
  -- Removing the last member deletes the key and its TTL.
  window[key] = nil
  if window.kind == TOKENS then redis.call('INCRBYFLOAT', key .. ':sum', -weight)
  elseif window.kind == DAY then redis.call('HINCRBYFLOAT', window.key, 'reserved', -weight) end
  return true
end

local function fill_bucket(window, taken, tokens)
  local bucket = math.floor(taken / window.bucket_ms)
  if tokens == 0 or bucket_until(window, bucket) <= now then return end
  redis.call('HINCRBYFLOAT', window.key, bucket, tokens)
  redis.call('HINCRBYFLOAT', window.key, 'total', tokens)
  local oldest = tonumber(redis.call('HGET', window.key, 'oldest') or NEVER)
  if bucket < oldest then redis.call('HSET', window.key, 'oldest', bucket) end
  keep(window.key, window)
  window.used = window.used + tokens
  window.next = nil
end

-- Counts an open permit from the time it was taken.
local function take(window, permit)
  local marked = permit.tokens .. ':' .. permit.id
  if window.kind == SLOTS then
    if permit.expires > now then put(window, window.key, permit.expires, permit.id, 1) end
  elseif window.kind == DAY then
    if permit.tokens > 0 and permit.expires > now then
      put(window, window.key .. ':reserved', permit.expires, marked, permit.tokens)
    end
  elseif permit.taken + window.length <= now then return
  elseif window.kind == REQUESTS then put(window, window.key, permit.taken, permit.id, 1)
  elseif permit.tokens > 0 then put(window, window.key, permit.taken, marked, permit.tokens) end
end

local function give_back(window, permit)
  local marked = permit.tokens .. ':' .. permit.id
  if window.kind == TOKENS then return pull(window, window.key, marked, permit.tokens) end
  if window.kind == DAY then return pull(window, window.key .. ':reserved', marked, permit.tokens) end
  return pull(window, window.key, permit.id, 1)
end

-- The call of this permit has ended and used this many tokens.
local function settle(window, permit, used)
  if window.kind == REQUESTS then return end
  local score = window.kind == TOKENS
    and redis.call('ZSCORE', window.key, permit.tokens .. ':' .. permit.id)
  local taken = tonumber(score or permit.taken)
  give_back(window, permit)
  if window.kind == DAY then fill_bucket(window, permit.taken, used)
  elseif window.kind == TOKENS and used > 0 and taken + window.length > now then
    put(window, window.key, taken, used .. ':' .. permit.id, used)
  end
end
`;

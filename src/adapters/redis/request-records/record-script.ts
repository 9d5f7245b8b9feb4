// The script that adds to a request record. A record is a hash: `owner`, `attempt:{n}`, `answer`, `partial`. Records with
// an attempt and records of refused requests are evicted apart, the oldest first, by number, by bytes and by age.

import { defineScript } from '../connection/redis-script.ts';

/**
 * Keys: record, index of records with an attempt, index of refused requests, request of each attempt, bytes of each record,
 * bytes of each index. Arguments: field (`attempt`, `answer` or `partial`), request id, owner, value, attempt id (empty
 * unless an attempt), attempts per record, records per index (with an attempt, refused), bytes per index, retention ms,
 * prefix of record keys.
 */
export const ADD_TO_RECORD = defineScript(`
local time = redis.call('TIME')
-- Microseconds: records of one millisecond are still in order.
local now = time[1] * 1000000 + time[2]
local field, id, retention = ARGV[1], ARGV[2], tonumber(ARGV[10])
local shelf = redis.call('HGET', KEYS[1], 'shelf')
  or (field == 'answer' and 'refused' or 'attempted')
local is_refused = shelf == 'refused'
local index = is_refused and KEYS[3] or KEYS[2]
local most = tonumber(is_refused and ARGV[8] or ARGV[7])
local added = 0

local function put(name, value)
  added = added + #value - redis.call('HSTRLEN', KEYS[1], name)
  redis.call('HSET', KEYS[1], name, value)
end

local function drop_attempt(key, name, text)
  redis.call('HDEL', KEYS[4], cjson.decode(text).id)
  redis.call('HDEL', key, name)
end

local function evict(victim)
  local key = ARGV[11] .. victim
  local fields = redis.call('HGETALL', key)
  for at = 1, #fields, 2 do
    if string.find(fields[at], '^attempt:') then drop_attempt(key, fields[at], fields[at + 1]) end
  end
  redis.call('DEL', key)
  redis.call('ZREM', index, victim)
  redis.call('HINCRBY', KEYS[6], shelf, -(tonumber(redis.call('HGET', KEYS[5], victim)) or 0))
  redis.call('HDEL', KEYS[5], victim)
end

put('owner', ARGV[3])
if field == 'attempt' then
  local number = redis.call('HINCRBY', KEYS[1], 'count', 1)
  put('attempt:' .. number, ARGV[4])
  redis.call('HSET', KEYS[4], ARGV[5], id)
  local old = 'attempt:' .. (number - tonumber(ARGV[6]))
  local text = redis.call('HGET', KEYS[1], old)
  if text then
    added = added - #text
    drop_attempt(KEYS[1], old, text)
  end
else
  put(field, ARGV[4])
end
redis.call('HSET', KEYS[1], 'shelf', shelf)
redis.call('HINCRBY', KEYS[5], id, added)
redis.call('HINCRBY', KEYS[6], shelf, added)
redis.call('ZADD', index, now, id)
for _, victim in ipairs(redis.call('ZRANGEBYSCORE', index, '-inf', now - retention * 1000, 'LIMIT', 0, 10)) do
  evict(victim)
end
while redis.call('ZCARD', index) > 1 and (redis.call('ZCARD', index) > most
  or tonumber(redis.call('HGET', KEYS[6], shelf)) > tonumber(ARGV[9])) do
  evict(redis.call('ZRANGE', index, 0, 0)[1])
end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, 2 * retention) end
return 1
`);

// The two steps on limits that Redis makes as one, on its own clock. Every change has a number, higher than all before,
// so that news which arrive out of order can be told from old ones; the numbers begin anew, with another epoch, when
// Redis has lost its data, by which the servers know that it has.

import { defineScript } from '../connection/redis-script.ts';

export const INDEX_KEY = 'ai:limits:index';
export const STATE_KEY = 'ai:limits:state';
export const CHANNEL = 'ai:limits:changed';

/** What the servers are told is JSON: epoch, version, key, record (empty: there is none any more). */
const SHARED = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function ensure_state(state)
  if redis.call('EXISTS', state) == 1 then return end
  local first = string.format('%.0f', time[1] * 1000000 + time[2])
  redis.call('HSET', state, 'epoch', first, 'version', first)
end

-- When the record is over: 0 when it is not active, nil when it is no record.
local function end_of(text)
  if type(text) ~= 'string' then return nil end
  local ok, record = pcall(cjson.decode, text)
  if not ok or type(record) ~= 'table' then return nil end
  if record.active == false then return 0 end
  return type(record.resetAt) == 'number' and record.resetAt or nil
end

local function remaining(reset_at, buffer)
  return math.max(1000, math.ceil(reset_at - now + buffer))
end

local function announce(channel, state, key, record)
  redis.call('HINCRBY', state, 'version', 1)
  local mark = redis.call('HMGET', state, 'epoch', 'version')
  redis.call('PUBLISH', channel, cjson.encode(
    { epoch = mark[1], version = mark[2], key = key, record = record }))
end
`;

// Sets or clears one limit and tells every server. A limit only moves later unless what is there is cleared first.
// KEYS  1 the record  2 the index  3 the state  4 the writer's own count
// ARGV  1 channel  2 the change's number by the writer's count  3 '1' to clear what is there
//       4 the record, or '' for none  5 its resetAt  6 buffer for skewed clocks in ms
// Returns epoch, version, the record that is there now or ''
export const CHANGE_LIMIT = defineScript(`${SHARED}
local key, index, state, writer = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local channel, number, record = ARGV[1], tonumber(ARGV[2]), ARGV[4]
local reset_at, buffer = tonumber(ARGV[5]), tonumber(ARGV[6])
ensure_state(state)

local function there()
  local held = redis.pcall('GET', key)
  return type(held) == 'string' and held or ''
end

local function answer()
  local mark = redis.call('HMGET', state, 'epoch', 'version')
  return { mark[1], mark[2], there() }
end

-- What a frozen Redis finds in its sockets when it goes on may be older than what its writer has done since.
if number <= tonumber(redis.call('GET', writer) or 0) then return answer() end
redis.call('SET', writer, number, 'PX', 3600000)

local held_until = end_of(there())
if held_until and (ARGV[3] == '1' or held_until <= now) then
  redis.call('DEL', key)
  redis.call('ZREM', index, key)
  if record == '' then announce(channel, state, key, '') end
  held_until = nil
end
if record == '' or reset_at <= now or (held_until and held_until >= reset_at) then return answer() end

redis.call('SET', key, record, 'PX', remaining(reset_at, buffer))
local ttl = redis.call('PTTL', key)
if ttl < reset_at - now or ttl > remaining(reset_at, buffer) then
  redis.call('DEL', key)
  return redis.error_reply('ERR the limit was not given its time to live')
end
redis.call('ZADD', index, reset_at + buffer, key)
announce(channel, state, key, record)
return answer()
`);

// Reads limits, cleans up what is over, and takes up what an operator has done by hand: a record that is not in the
// index was written so, one that is still in the index but gone before its time was deleted so.
// KEYS  1 the index  2 the state  3… the records
// ARGV  1 channel  2 buffer for skewed clocks in ms
// Returns epoch, version, and a list with the text of each record or ''
export const READ_LIMITS = defineScript(`${SHARED}
local index, state, channel, buffer = KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2])
ensure_state(state)
local found = {}
for i = 3, #KEYS do
  local key = KEYS[i]
  local text = redis.pcall('GET', key)
  local ends = end_of(text)
  local listed = redis.call('ZSCORE', index, key)
  if ends and ends <= now then
    redis.call('DEL', key)
    redis.call('ZREM', index, key)
    ends, listed = nil, nil
  end
  if ends then
    if redis.call('PTTL', key) < 0 then redis.call('PEXPIRE', key, remaining(ends, buffer)) end
    if not listed then
      redis.call('ZADD', index, ends + buffer, key)
      announce(channel, state, key, text)
    end
  elseif listed then
    redis.call('ZREM', index, key)
    if tonumber(listed) > now then announce(channel, state, key, '') end
  end
  found[i - 2] = ends and text or ''
end
local mark = redis.call('HMGET', state, 'epoch', 'version')
return { mark[1], mark[2], found }
`);

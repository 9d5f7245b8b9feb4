// The two scripts on limits that Redis runs atomically on its own clock. Each change gets a higher version, so that a server
// can drop messages that arrive out of order. When Redis has lost its data, versions restart under a new epoch, from which
// the servers learn of the loss.

import { defineScript } from '../connection/redis-script.ts';

export const INDEX_KEY = 'ai:limits:index';
export const STATE_KEY = 'ai:limits:state';
export const CHANNEL = 'ai:limits:changed';

/** A message on the channel is JSON: epoch, version, key, record (empty after a deletion). */
const SHARED = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function ensure_state(state)
  if redis.call('EXISTS', state) == 1 then return end
  local first = string.format('%.0f', time[1] * 1000000 + time[2])
  redis.call('HSET', state, 'epoch', first, 'version', first)
end

-- When the record ends: 0 for an inactive one, nil for text that is not a record.
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

// Sets or clears one limit and publishes the change. A limit only moves later unless the record is cleared first.
// KEYS  1 the record  2 the index  3 the state  4 the writer's own count
// ARGV  1 channel  2 the change's number by the writer's count  3 '1' to clear the record first
//       4 the record, or '' for none  5 its resetAt  6 buffer for skewed clocks in ms
// Returns epoch, version, the current record or ''
export const CHANGE_LIMIT = defineScript(`${SHARED}
local key, index, state, writer = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local channel, number, record = ARGV[1], tonumber(ARGV[2]), ARGV[4]
local reset_at, buffer = tonumber(ARGV[5]), tonumber(ARGV[6])
ensure_state(state)

local function current()
  local text = redis.pcall('GET', key)
  return type(text) == 'string' and text or ''
end

local function answer()
  local mark = redis.call('HMGET', state, 'epoch', 'version')
  return { mark[1], mark[2], current() }
end

-- A frozen Redis that resumes may find commands in its sockets that their writer has since superseded.
if number <= tonumber(redis.call('GET', writer) or 0) then return answer() end
redis.call('SET', writer, number, 'PX', 3600000)

local ends_at = end_of(current())
if ends_at and (ARGV[3] == '1' or ends_at <= now) then
  redis.call('DEL', key)
  redis.call('ZREM', index, key)
  if record == '' then announce(channel, state, key, '') end
  ends_at = nil
end
if record == '' or reset_at <= now or (ends_at and ends_at >= reset_at) then return answer() end

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

// Reads limits, deletes expired records, and announces changes that an operator made directly in Redis: a record outside
// the index was written that way, and an indexed record that vanished before its end was deleted that way.
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

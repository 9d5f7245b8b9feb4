// The one script of the rate limiter: decides a batch of asks in one step, on the clock of Redis. Before it decides
// anything it compares the epoch, by which a server learns that Redis has lost its data; then it notes who is alive,
// and keeps a share free for servers that were away and may have admitted what is not told yet.

import { REUSE_MOST_MS, REUSE_PART } from '../../../resilience/due-times.ts';
import { defineScript } from '../connection/redis-script.ts';
import { WINDOWS_LUA } from './rate-limit-windows.ts';

/** What is asked of the script; the first number of each operation. */
export const OPERATION = { take: 1, giveBack: 2, settle: 3, look: 4, tell: 5, seen: 6 } as const;

export const KIND_CODES = { requests: 1, tokens: 2, tokens_per_day: 3, concurrent: 4 } as const;

/** What each server may use while it cannot ask, in parts of its part of the limit. */
export const SAFE_PART = 0.8;

// KEYS  1 epoch  2 servers: id by last contact  3 awaited: id by the moment nobody waits for it any more
//       4… the limits' keys
// ARGV  1 this server's id  2 the epoch it knows, or ''  3 one to begin with where there is none
//       4 TTL of records in ms  5 how long a server is known without contact, in ms
//       6 how long one that was away is awaited, in ms  7 '1' when this server counts by itself for now
//       8 JSON: ids of the servers it awaits  9 JSON: the operations, each a list:
//         limit  = key index, kind, max, window in ms (four numbers in a row, at the end of each operation)
//         1 take   id, tokens, expires in ms, wants a comeback 0|1, limits
//         2 give   id, tokens, limits
//         3 settle id, tokens, used, taken at, expires at, limits
//         4 look   limits
//         5 tell   id, tokens, used or -1 while open, taken at, expires at, limits
//         6 seen   used, seen at, one limit
//       10 the moment by which the server has stopped waiting for an answer  11 how long before it a call is held up, in ms
// Returns JSON: epoch, now, ids of live servers, answers; nothing but the first two, and nothing is done, when the epoch
//         is not the server's or it is too late.
//         An answer to a take is: index of the binding limit from 1, or 0 when it is admitted; wait in ms, -1 for never;
//         comeback in ms, -1 for none; then for each limit its max, what is used and ms until the next part is free.
//         To a look: those three for each limit. To all else: 0.
export const RATE_LIMIT_SCRIPT = defineScript(`
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now, taking_at = math.floor(micros / 1000), math.ceil(micros / 1000)
local ttl = tonumber(ARGV[4])
${WINDOWS_LUA}
local self, known = ARGV[1], ARGV[2]
local epoch = redis.call('GET', KEYS[1])
if not epoch then
  epoch = ARGV[3]
  redis.call('SET', KEYS[1], epoch)
end
if epoch ~= known or now > tonumber(ARGV[10]) then return cjson.encode({ epoch, now }) end

local function note_presence()
  redis.call('ZADD', KEYS[2], now, self)
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - tonumber(ARGV[5]))
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
  -- One that was not away is taken off again by its next batch. A batch that was held up for long tells that others
  -- may have given up waiting, though this server has not.
  local others = cjson.decode(ARGV[8])
  if tonumber(ARGV[10]) - now < tonumber(ARGV[11]) then others = redis.call('ZRANGE', KEYS[2], 0, -1) end
  for _, other in ipairs(others) do
    if other ~= self then redis.call('ZADD', KEYS[3], 'NX', now + tonumber(ARGV[6]), other) end
  end
  if ARGV[7] == '1' then redis.call('ZADD', KEYS[3], now + tonumber(ARGV[5]) / 2, self)
  else redis.call('ZREM', KEYS[3], self) end
end
note_presence()

-- Who is awaited counts as alive, here and to those who are told.
local alive = redis.call('ZRANGE', KEYS[2], 0, -1)
local awaited, waiting_ms = 0, 0
for index, entry in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1, 'WITHSCORES')) do
  if index % 2 == 1 then
    if entry ~= self then awaited = awaited + 1 end
    if not redis.call('ZSCORE', KEYS[2], entry) then alive[#alive + 1] = entry end
  else waiting_ms = math.max(waiting_ms, tonumber(entry) - now) end
end

-- Those who were away may each have admitted their safe share, which nobody else may use until they have told.
local function usable(max)
  return max - awaited * math.floor(${SAFE_PART} * max / #alive)
end

local windows = {}
local function window_at(operation, at)
  local name = operation[at] .. ':' .. operation[at + 1]
  local window = windows[name]
  if not window then
    window = open(KEYS[3 + operation[at]], operation[at + 1], operation[at + 3])
    windows[name] = window
  end
  return window
end

local function cost_in(window, tokens)
  return (window.kind == TOKENS or window.kind == DAY) and tokens or 1
end

local function stand(answer, operation, first)
  for at = first, #operation, 4 do
    local window = window_at(operation, at)
    local free = next_free(window)
    answer[#answer + 1] = usable(operation[at + 2])
    answer[#answer + 1] = window.used
    answer[#answer + 1] = free == NEVER and 0 or free - now
  end
  return answer
end

local function comeback(operation, at, wait)
  local window = window_at(operation, at)
  local cost, max = cost_in(window, operation[3]), operation[at + 2]
  local reuse = math.min(window.length * ${REUSE_PART}, ${REUSE_MOST_MS})
  local interval = window.kind == SLOTS and SLOT_PATIENCE / max or (window.length + reuse) * cost / max
  local key = window.key .. ':comeback'
  local before = tonumber(redis.call('GET', key) or 0)
  local moment = math.max(now + wait, before + interval)
  redis.call('SET', key, string.format('%.3f', moment), 'PX', math.ceil(moment - now + interval) + 1000)
  return math.ceil(moment) - now
end

local function decide(operation)
  local binding, longest = 0, 0
  for at = 6, #operation, 4 do
    local window = window_at(operation, at)
    local cost, max = cost_in(window, operation[3]), operation[at + 2]
    local wait = wait_for(window, cost, usable(max))
    if wait == NEVER and cost <= max then wait = math.max(1, waiting_ms) end
    if wait > longest then binding, longest = at, wait end
  end
  local moment = -1
  if binding > 0 and longest < NEVER and operation[5] == 1 then
    moment = comeback(operation, binding, longest)
  end
  if binding == 0 then
    local permit = { id = operation[2], tokens = operation[3], taken = taking_at,
      expires = taking_at + operation[4] }
    for at = 6, #operation, 4 do take(window_at(operation, at), permit) end
  end
  local index = binding == 0 and 0 or (binding - 6) / 4 + 1
  return stand({ index, longest == NEVER and -1 or longest, moment }, operation, 6)
end

-- Makes up for what was there before Redis lost its data and nobody alive can tell. Of what is told later a part is
-- what was made up for; so it is reckoned anew each time.
local function make_up(window)
  local key = window.key .. ':made-up'
  local state = redis.call('HMGET', key, 'used', 'at', 'amount')
  if not state[1] then return end
  local seen, at, amount = tonumber(state[1]), tonumber(state[2]), tonumber(state[3] or 0)
  local told = window.kind == REQUESTS and redis.call('ZCOUNT', window.key, '-inf', at)
    or sum_of(redis.call('ZRANGEBYSCORE', window.key, '-inf', at))
  local wanted = math.max(0, seen - (told - amount))
  if wanted == amount then return end
  local made_up = { id = '~', taken = at, tokens = amount }
  if window.kind == TOKENS then
    give_back(window, made_up)
    made_up.tokens = wanted
    take(window, made_up)
  else
    for number = amount + 1, wanted do take(window, { id = '~' .. number, taken = at, tokens = 1 }) end
    for number = wanted + 1, amount do give_back(window, { id = '~' .. number, tokens = 1 }) end
  end
  redis.call('HSET', key, 'amount', wanted)
  redis.call('PEXPIRE', key, math.max(1, at + window.length - now))
end

-- Windows of which something was told, for which it is not reckoned yet.
local behind = {}
local function make_up_all()
  for window in pairs(behind) do
    make_up(window)
    behind[window] = nil
  end
end

local function seen(operation)
  local used, at = operation[2], operation[3]
  local window = window_at(operation, 4)
  if window.kind == DAY then return fill_bucket(window, at, math.max(0, used - window.used)) end
  if window.kind == SLOTS or at + window.length <= now then return end
  local key = window.key .. ':made-up'
  if used > tonumber(redis.call('HGET', key, 'used') or 0) then
    redis.call('HSET', key, 'used', used, 'at', at)
    redis.call('HSETNX', key, 'amount', 0)
    redis.call('PEXPIRE', key, at + window.length - now)
  end
  behind[window] = true
end

local function tell(operation)
  local used = operation[4]
  local permit = { id = operation[2], tokens = operation[3], taken = operation[5], expires = operation[6] }
  for at = 7, #operation, 4 do
    local window = window_at(operation, at)
    if used < 0 or window.kind == REQUESTS then take(window, permit) else settle(window, permit, used) end
    if window.kind == REQUESTS or window.kind == TOKENS then behind[window] = true end
  end
end

local function carry_out(operation)
  local what = operation[1]
  if what == ${OPERATION.take} then return decide(operation) end
  if what == ${OPERATION.look} then return stand({}, operation, 2) end
  if what == ${OPERATION.tell} then tell(operation)
  elseif what == ${OPERATION.seen} then seen(operation)
  else
    local permit = { id = operation[2], tokens = operation[3], taken = operation[5] }
    local is_settled = what == ${OPERATION.settle}
    for at = is_settled and 7 or 4, #operation, 4 do
      if is_settled then settle(window_at(operation, at), permit, operation[4])
      else give_back(window_at(operation, at), permit) end
    end
  end
  return 0
end

local answers = {}
for index, operation in ipairs(cjson.decode(ARGV[9])) do
  local what = operation[1]
  if what ~= ${OPERATION.tell} and what ~= ${OPERATION.seen} then make_up_all() end
  answers[index] = carry_out(operation)
end
make_up_all()
return cjson.encode({ epoch, now, alive, answers })
`);

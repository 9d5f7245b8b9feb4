// The script of the rate limiter: it decides a batch of asks in one step, on the clock of Redis. First it compares the
// epoch, by which a server learns that Redis has lost its data. Then it records the caller's heartbeat, and reserves a
// share for servers that lost contact and may have admitted requests that they have not reported yet.

import {
  MAX_REUSE_MS,
  MISSED_INTERVALS,
  MISSED_MS,
  REUSE_PART,
} from '../../../resilience/due-times.ts';
import { defineScript } from '../connection/redis-script.ts';
import { WINDOWS_LUA } from './rate-limit-windows.ts';

/** The first number of each operation. */
export const OPERATION = {
  take: 1,
  giveBack: 2,
  settle: 3,
  look: 4,
  report: 5,
  reportSeen: 6,
} as const;

/** How an ask waits when it is refused: an interactive call does not, a job may have waited already. */
export const QUEUEING = { none: 0, first: 1, hasWaited: 2 } as const;

export const KIND_CODES = { requests: 1, tokens: 2, tokens_per_day: 3, concurrent: 4 } as const;

/** The part of its share of a limit that a server may use while Redis is unavailable. */
export const SAFE_PART = 0.8;

// KEYS  1 epoch  2 servers: id by last contact  3 awaited: id by the time until which its share is reserved
//       4… the limits' keys
// ARGV  1 this server's id  2 the epoch it knows, or ''  3 the epoch to store if Redis has no epoch
//       4 TTL of records in ms  5 how long a server without contact stays listed, in ms
//       6 how long the share of a server that lost contact is reserved, in ms
//       7 '1' while this server decides by its safe share  8 JSON: ids of the servers it expects back
//       9 JSON: the operations, each a list:
//         limit  = key index, kind, max, window in ms (four numbers in a row, at the end of each operation)
//         1 take        id, tokens, expires in ms, queueing 0|1|2, behind in ms, patience in ms, limits
//         2 give back   id, tokens, limits
//         3 settle      id, tokens, used, taken at, expires at, limits
//         4 look        limits
//         5 report      id, tokens, used or -1 while open, taken at, expires at, limits
//         6 report seen used, seen at, one limit
//       10 the deadline after which the server ignores the answer
//       11 a call that starts less than this many ms before the deadline was delayed
// Returns JSON: epoch, now, ids of live servers, answers; only the first two, with nothing done, when the epoch differs
//         or the deadline has passed.
//         An answer to a take is: index of the binding limit from 1, or 0 when it is admitted; wait in ms, -1 for never;
//         due time in ms from now, -1 for none; then for each limit its max, the used amount and ms until the next part is free.
//         To a look: those three for each limit. To all other operations: 0.
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

local function record_heartbeat()
  redis.call('ZADD', KEYS[2], now, self)
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - tonumber(ARGV[5]))
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
  -- A server that did not lose contact is removed by its own next batch. A delayed batch means that other servers may
  -- have given up on theirs, though this one has not.
  local others = cjson.decode(ARGV[8])
  if tonumber(ARGV[10]) - now < tonumber(ARGV[11]) then others = redis.call('ZRANGE', KEYS[2], 0, -1) end
  for _, other in ipairs(others) do
    if other ~= self then redis.call('ZADD', KEYS[3], 'NX', now + tonumber(ARGV[6]), other) end
  end
  if ARGV[7] == '1' then redis.call('ZADD', KEYS[3], now + tonumber(ARGV[5]) / 2, self)
  else redis.call('ZREM', KEYS[3], self) end
end
record_heartbeat()

-- Awaited servers count as alive, here and in the answer.
local alive = redis.call('ZRANGE', KEYS[2], 0, -1)
local awaited, waiting_ms = 0, 0
for index, entry in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1, 'WITHSCORES')) do
  if index % 2 == 1 then
    if entry ~= self then awaited = awaited + 1 end
    if not redis.call('ZSCORE', KEYS[2], entry) then alive[#alive + 1] = entry end
  else waiting_ms = math.max(waiting_ms, tonumber(entry) - now) end
end

-- An awaited server may have admitted its safe share, which stays reserved until it has reported.
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

local function standings(answer, operation, first)
  for at = first, #operation, 4 do
    local window = window_at(operation, at)
    local free = next_free(window)
    answer[#answer + 1] = usable(operation[at + 2])
    answer[#answer + 1] = window.used
    answer[#answer + 1] = free == NEVER and 0 or free - now
  end
  return answer
end

-- The twin of resilience/due-times. The record is the last due time; it expires when no job comes at its due time.
local function schedule_of(operation, at)
  local window = window_at(operation, at)
  local max = operation[at + 2]
  local reuse = math.min(window.length * ${REUSE_PART}, ${MAX_REUSE_MS})
  local interval = window.kind == SLOTS and SLOT_RETRY / max
    or (window.length + reuse) * cost_in(window, operation[3]) / max
  return window.key .. ':comeback', interval, ${MISSED_MS} + ${MISSED_INTERVALS} * interval
end

local function wait_behind_scheduled(operation, at)
  local key, interval = schedule_of(operation, at)
  local last = tonumber(redis.call('GET', key) or 0)
  return last > now and last + interval - now or 0
end

local function keep_schedule(operation, at)
  local key, _, patience = schedule_of(operation, at)
  local left = redis.call('PTTL', key)
  if left >= 0 and left < patience then redis.call('PEXPIRE', key, math.ceil(patience)) end
end

local function assign_due_time(operation, at, wait)
  local key, interval, patience = schedule_of(operation, at)
  local last = tonumber(redis.call('GET', key) or 0)
  local due = math.max(now + wait, last + interval)
  local left = redis.call('PTTL', key)
  -- Fractions of a millisecond are rounding, not a gap.
  if now + wait > last + interval + 0.5 then left = math.max(left, due - now + patience) end
  redis.call('SET', key, string.format('%.3f', due), 'PX', math.max(1, math.ceil(left)))
  return math.ceil(due) - now
end

local function wait_in(operation, at)
  local window = window_at(operation, at)
  local cost, max, queueing = cost_in(window, operation[3]), operation[at + 2], operation[5]
  local wait = wait_for(window, cost, usable(max))
  if wait == NEVER and cost <= max then wait = math.max(1, waiting_ms) end
  if wait == NEVER or queueing == ${QUEUEING.none} then return wait end
  if queueing == ${QUEUEING.first} then return math.max(wait, operation[6], wait_behind_scheduled(operation, at)) end
  keep_schedule(operation, at)
  return wait
end

local function decide(operation)
  local binding, longest = 0, 0
  for at = 8, #operation, 4 do
    local wait = wait_in(operation, at)
    if wait > longest then binding, longest = at, wait end
  end
  local due = -1
  if longest < NEVER and operation[5] ~= ${QUEUEING.none} and longest > operation[7] then
    due = assign_due_time(operation, binding, longest)
  end
  if binding == 0 then
    local permit = { id = operation[2], tokens = operation[3], taken = taking_at,
      expires = taking_at + operation[4] }
    for at = 8, #operation, 4 do take(window_at(operation, at), permit) end
  end
  local index = binding == 0 and 0 or (binding - 8) / 4 + 1
  return standings({ index, longest == NEVER and -1 or math.ceil(longest), due }, operation, 8)
end

-- Fills in admissions that were in Redis before it lost its data and that no live server can report, from the highest
-- count that a server saw. Admissions reported later replace filled-in ones, so the number is computed anew each time.
local function fill_in(window)
  local key = window.key .. ':made-up'
  local state = redis.call('HMGET', key, 'used', 'at', 'amount')
  if not state[1] then return end
  local seen, at, amount = tonumber(state[1]), tonumber(state[2]), tonumber(state[3] or 0)
  local reported = window.kind == REQUESTS and redis.call('ZCOUNT', window.key, '-inf', at)
    or sum_of(redis.call('ZRANGEBYSCORE', window.key, '-inf', at))
  local wanted = math.max(0, seen - (reported - amount))
  if wanted == amount then return end
  local filled = { id = '~', taken = at, tokens = amount }
  if window.kind == TOKENS then
    give_back(window, filled)
    filled.tokens = wanted
    take(window, filled)
  else
    for number = amount + 1, wanted do take(window, { id = '~' .. number, taken = at, tokens = 1 }) end
    for number = wanted + 1, amount do give_back(window, { id = '~' .. number, tokens = 1 }) end
  end
  redis.call('HSET', key, 'amount', wanted)
  redis.call('PEXPIRE', key, math.max(1, at + window.length - now))
end

-- Windows with reports since they were last filled in.
local unfilled = {}
local function fill_in_all()
  for window in pairs(unfilled) do
    fill_in(window)
    unfilled[window] = nil
  end
end

local function report_seen(operation)
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
  unfilled[window] = true
end

local function report(operation)
  local used = operation[4]
  local permit = { id = operation[2], tokens = operation[3], taken = operation[5], expires = operation[6] }
  for at = 7, #operation, 4 do
    local window = window_at(operation, at)
    if used < 0 or window.kind == REQUESTS then take(window, permit) else settle(window, permit, used) end
    if window.kind == REQUESTS or window.kind == TOKENS then unfilled[window] = true end
  end
end

local function carry_out(operation)
  local what = operation[1]
  if what == ${OPERATION.take} then return decide(operation) end
  if what == ${OPERATION.look} then return standings({}, operation, 2) end
  if what == ${OPERATION.report} then report(operation)
  elseif what == ${OPERATION.reportSeen} then report_seen(operation)
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
  if what ~= ${OPERATION.report} and what ~= ${OPERATION.reportSeen} then fill_in_all() end
  answers[index] = carry_out(operation)
end
fill_in_all()
return cjson.encode({ epoch, now, alive, answers })
`);

// The steps on a circuit that Redis makes as one, on its own clock, by the rules of resilience/circuit-breaker.ts. A
// circuit is one hash: its state, and the calls and failures of its window in slots. Every change has a version that
// is higher than all before, also after Redis has lost its data, because it is taken from the time; so news that
// arrive out of order can be told from old ones. Times are told as lengths, because the servers' clocks differ.

import { WINDOW_SLOTS } from '../../../resilience/call-window.ts';
import { PROBE_AGAIN_MS } from '../../../resilience/circuit-breaker.ts';
import { defineScript } from '../connection/redis-script.ts';

/** How long a circuit that holds calls back is remembered when nobody asks for it. */
const REMEMBERED_MS = 3_600_000;

// KEYS  1 the circuit  2 the index of all circuits
// ARGV  1 channel  2 the place, JSON  3 who asks  4 window in ms  5 open for ms  6… the step's own
const SHARED = `
local key, index = KEYS[1], KEYS[2]
local channel, place, me = ARGV[1], ARGV[2], ARGV[3]
local window, open_for = tonumber(ARGV[4]), tonumber(ARGV[5])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local micros = time[1] * 1000000 + time[2]
local this_slot = math.floor(now / (window / ${WINDOW_SLOTS}))

local function held(field) return redis.call('HGET', key, field) or nil end
local function number(field) return tonumber(held(field)) or 0 end
local function whole(value) return string.format('%.0f', value) end

local moved_from = ''
local function put(...)
  redis.call('HSET', key, 'version', whole(math.max(number('version') + 1, micros)), ...)
end
local function move(to, ...)
  moved_from = held('state') or 'closed'
  put('state', to, ...)
end
local function is_limited() return held('cause') == 'limit' end
local function is_tripped(failures, calls, min_failures, ratio)
  return failures >= tonumber(min_failures) and failures >= tonumber(ratio) * calls
end
local function hold_until(cause, opened_at, probe_at)
  move('open', 'cause', cause, 'openedAt', whole(opened_at), 'probeAt', whole(probe_at), 'successes', 0, 'probe', '')
end
local function open_circuit(probe_in)
  hold_until('failures', now + probe_in - open_for, now + probe_in)
end
-- A limit only ever moves later, and changes nothing in a circuit that failures have opened.
local function limit_circuit(wait)
  local state, probe_at = held('state') or 'closed', now + wait
  if wait <= 0 or state ~= 'closed' and not is_limited() then return false end
  if state == 'open' and number('probeAt') >= probe_at then return false end
  hold_until('limit', state == 'closed' and now or number('openedAt'), probe_at)
  return true
end
local function close_circuit()
  local from, version = held('state') or 'closed', number('version')
  redis.call('DEL', key)
  redis.call('HSET', key, 'version', whole(version))
  move('closed')
  moved_from = from
end

-- The calls and failures of the window; slots that have left it are taken away.
local function totals()
  local calls, failures, gone = 0, 0, {}
  local all = redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    local kind, slot = string.match(all[i], '^([cf])(%d+)$')
    if kind and tonumber(slot) <= this_slot - ${WINDOW_SLOTS} then gone[#gone + 1] = all[i]
    elseif kind == 'c' then calls = calls + all[i + 1]
    elseif kind == 'f' then failures = failures + all[i + 1] end
  end
  if #gone > 0 then redis.call('HDEL', key, unpack(gone)) end
  return calls, failures
end

local function standing()
  local calls, failures = totals()
  local probe = held('probe') or ''
  return cjson.encode({
    place = place, by = me, movedFrom = moved_from,
    version = held('version') or whole(micros),
    state = held('state') or 'closed',
    cause = held('cause') or 'failures',
    openedAgoMs = math.max(0, now - number('openedAt')),
    probeInMs = math.max(0, number('probeAt') - now),
    successes = number('successes'),
    probe = probe, leaseMs = math.max(0, number('probeUntil') - now),
    calls = calls, failures = failures })
end

-- What the servers are told is what the one that asked is answered.
local function answer(is_changed)
  if redis.call('EXISTS', key) == 1 then
    redis.call('SADD', index, place)
    local is_closed = (held('state') or 'closed') == 'closed'
    local held_for = math.max(open_for, number('probeAt') - now)
    redis.call('PEXPIRE', key, whole(is_closed and 2 * window or held_for + ${REMEMBERED_MS}))
  end
  local text = standing()
  if is_changed then redis.call('PUBLISH', channel, text) end
  return text
end
`;

// 6 calls  7 failures among them  8 and 9 how many are too many. Opens the circuit when they are.
export const COUNT_CALLS = step(`
local calls, failures = tonumber(ARGV[6]), tonumber(ARGV[7])
if calls > 0 then redis.call('HINCRBY', key, 'c' .. whole(this_slot), calls) end
if failures > 0 then redis.call('HINCRBY', key, 'f' .. whole(this_slot), failures) end
if failures == 0 or (held('state') or 'closed') ~= 'closed' then return answer(false) end
local all_calls, all_failures = totals()
if not is_tripped(all_failures, all_calls, ARGV[8], ARGV[9]) then return answer(false) end
open_circuit(open_for)
return answer(true)
`);

// 6 the probe's id  7 its lease in ms. Gives the probe to one server, if it is due.
export const CLAIM_PROBE = step(`
local state = held('state') or 'closed'
local is_due = state == 'open' and number('probeAt') <= now
  or state == 'half_open' and ((held('probe') or '') == '' or number('probeUntil') <= now)
if not is_due then return answer(false) end
local lease = whole(now + tonumber(ARGV[7]))
if state == 'open' then move('half_open', 'probe', ARGV[6], 'probeUntil', lease)
else put('probe', ARGV[6], 'probeUntil', lease) end
return answer(true)
`);

// 6 the probe's id  7 its lease in ms
export const RENEW_PROBE = step(`
if held('probe') == ARGV[6] then redis.call('HSET', key, 'probeUntil', whole(now + tonumber(ARGV[7]))) end
return answer(false)
`);

// 6 the probe's id  7 its health  8 successes that close the circuit  9 and 10 how many failures are too many
export const END_PROBE = step(`
if held('state') ~= 'half_open' or held('probe') ~= ARGV[6] then return answer(false) end
if ARGV[7] == 'failure' then
  -- The call is counted after its end is told.
  local calls, failures = totals()
  if is_limited() and not is_tripped(failures + 1, calls + 1, ARGV[9], ARGV[10]) then
    hold_until('limit', number('openedAt'), now + ${PROBE_AGAIN_MS})
  else open_circuit(open_for) end
  return answer(true)
end
local successes = number('successes') + (ARGV[7] == 'success' and 1 or 0)
if successes >= (is_limited() and 1 or tonumber(ARGV[8])) then close_circuit()
else put('probe', '', 'successes', successes) end
return answer(true)
`);

// 6 ms until the provider serves again
export const LIMIT_CIRCUIT = step(`
return answer(limit_circuit(tonumber(ARGV[6])))
`);

export const CLEAR_LIMIT = step(`
if (held('state') or 'closed') == 'closed' or not is_limited() then return answer(false) end
close_circuit()
return answer(true)
`);

export const RESET_CIRCUIT = step(`
close_circuit()
return answer(true)
`);

// What a server has of a circuit: 6 its state  7 ms until its next probe  8 the version it knew  9 '1' when it decided
// so itself while it was alone  10 the cause. That a circuit is in trouble is believed of one who has seen it, and of
// one who only remembers it when Redis does not; that it is well, while nobody knows better.
export const TELL_CIRCUIT = step(`
local version = held('version')
local is_closed = (held('state') or 'closed') == 'closed'
if ARGV[6] == 'closed' then
  if is_closed or version ~= ARGV[8] then return answer(false) end
  close_circuit()
  return answer(true)
end
if version and ARGV[9] ~= '1' then return answer(false) end
local probe_in = tonumber(ARGV[7])
if ARGV[10] == 'limit' and (is_closed or probe_in > 0) then return answer(limit_circuit(math.max(1, probe_in))) end
if not is_closed then return answer(false) end
open_circuit(math.min(open_for, probe_in))
return answer(true)
`);

function step(own: string) {
  return defineScript(SHARED + own);
}

// The steps on a circuit, as scripts that Redis runs atomically on its own clock, by the rules of
// resilience/circuit-breaker.ts. A circuit is one hash: its state, the calls and failures of its window in slots, and when
// some organisations last called (`o:…`) and last failed (`x:…`), of which two are enough to open it for all. Each
// change gets a higher version. Versions derive from the time, so they rise even after Redis lost its data, and a server
// can drop messages that arrive out of order. The servers' clocks differ, so they get durations instead of timestamps.

import { WINDOW_SLOTS } from '../../../resilience/call-window.ts';
import { PROBE_RETRY_MS } from '../../../resilience/circuit-breaker.ts';
import { REFUSED_MS, YIELD_MS } from '../../../resilience/spare-organizations.ts';
import { defineScript } from '../connection/redis-script.ts';

/** How long an open circuit outlives its next probe when no server touches it. */
const KEPT_MS = 3_600_000;
/** Organisations noted per circuit; two within the window decide. */
const MAX_CALLERS = 16;

// KEYS  1 the circuit  2 the index of all circuits
// ARGV  1 channel  2 the circuit's key as JSON  3 the calling server  4 window in ms  5 open for ms  6… of the step
// Returns the snapshot as JSON, and publishes the same text when the step changed the circuit.
const SHARED = `
local key, index = KEYS[1], KEYS[2]
local channel, circuit, me = ARGV[1], ARGV[2], ARGV[3]
local window, open_for = tonumber(ARGV[4]), tonumber(ARGV[5])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local micros = time[1] * 1000000 + time[2]
local this_slot = math.floor(now / (window / ${WINDOW_SLOTS}))

local function get(field) return redis.call('HGET', key, field) or nil end
local function number(field) return tonumber(get(field)) or 0 end
local function whole(value) return string.format('%.0f', value) end

local moved_from = ''
local function put(...)
  redis.call('HSET', key, 'version', whole(math.max(number('version') + 1, micros)), ...)
end
local function move(to, ...)
  moved_from = get('state') or 'closed'
  put('state', to, ...)
end
local function is_limited() return get('cause') == 'limit' end
local function is_tripped(failures, calls, min_failures, ratio)
  return failures >= tonumber(min_failures) and failures >= tonumber(ratio) * calls
end
local function open_until(cause, opened_at, probe_at)
  move('open', 'cause', cause, 'openedAt', whole(opened_at), 'probeAt', whole(probe_at), 'successes', 0, 'probe', '')
end
local function open_circuit(probe_in)
  open_until('failures', now + probe_in - open_for, now + probe_in)
end
-- The end of a limit only moves later; a circuit that failures opened is left unchanged.
local function limit_circuit(wait)
  local state, probe_at = get('state') or 'closed', now + wait
  if wait <= 0 or state ~= 'closed' and not is_limited() then return false end
  if state == 'open' and number('probeAt') >= probe_at then return false end
  open_until('limit', state == 'closed' and now or number('openedAt'), probe_at)
  return true
end
-- Drops the counts and keeps who called: the first organisation to fail afterwards is not the only one that called.
local function close_circuit()
  local from, version = get('state') or 'closed', number('version')
  local all, kept = redis.call('HGETALL', key), { 'version', whole(version) }
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 2) == 'o:' then
      kept[#kept + 1] = all[i]
      kept[#kept + 1] = all[i + 1]
    end
  end
  redis.call('DEL', key)
  redis.call('HSET', key, unpack(kept))
  move('closed')
  moved_from = from
end

-- The calls and failures of the window, and the organisations that called and failed in it. What has left it is deleted.
local function totals()
  local calls, failures, calling, failing, expired = 0, 0, 0, 0, {}
  local all = redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    local kind, slot = string.match(all[i], '^([cf])(%d+)$')
    local mark = string.match(all[i], '^([ox]):')
    if kind and tonumber(slot) <= this_slot - ${WINDOW_SLOTS} or mark and tonumber(all[i + 1]) <= now - window then
      expired[#expired + 1] = all[i]
    elseif kind == 'c' then calls = calls + all[i + 1]
    elseif kind == 'f' then failures = failures + all[i + 1]
    elseif mark == 'o' then calling = calling + 1
    elseif mark == 'x' then failing = failing + 1 end
  end
  if #expired > 0 then redis.call('HDEL', key, unpack(expired)) end
  return calls, failures, calling, failing
end
local function opens_for_all(calling, failing) return failing >= 2 or calling <= 1 end
local function note_callers(mark, known, organizations)
  for _, organization in ipairs(organizations) do
    local field = mark .. ':' .. organization
    if known < ${MAX_CALLERS} or redis.call('HEXISTS', key, field) == 1 then
      known = known + redis.call('HSET', key, field, whole(now))
    end
  end
end

local function snapshot()
  local calls, failures, calling = totals()
  local probe = get('probe') or ''
  return cjson.encode({
    circuit = circuit, by = me, movedFrom = moved_from,
    version = get('version') or whole(micros),
    state = get('state') or 'closed',
    cause = get('cause') or 'failures',
    openedAgoMs = math.max(0, now - number('openedAt')),
    probeInMs = math.max(0, number('probeAt') - now),
    successes = number('successes'),
    probe = probe, leaseMs = math.max(0, number('probeUntil') - now),
    calls = calls, failures = failures, callers = calling })
end

local function answer(is_changed)
  if redis.call('EXISTS', key) == 1 then
    redis.call('SADD', index, circuit)
    local is_closed = (get('state') or 'closed') == 'closed'
    local open_ms = math.max(open_for, number('probeAt') - now)
    redis.call('PEXPIRE', key, whole(is_closed and 2 * window or open_ms + ${KEPT_MS}))
  else
    redis.call('SREM', index, circuit)
  end
  local text = snapshot()
  if is_changed then redis.call('PUBLISH', channel, text) end
  return text
end
`;

// 6 calls 7 failures among them 8 and 9 the failures and the ratio that open the circuit 10, 11 and 12 organisations that
// called, that failed, and whose calls at this server succeed, as JSON lists: an organisation with failures at one server
// only is not one that failed. KEYS[3], if given, is the circuit of all organisations: while it is not closed, the circuit of
// one organisation does not open. The first count of such a circuit is published, so that all servers count for it.
export const COUNT_CALLS = step(`
local calls, failures = tonumber(ARGV[6]), tonumber(ARGV[7])
local is_new = KEYS[3] and redis.call('EXISTS', key) == 0 and failures > 0
if calls > 0 then redis.call('HINCRBY', key, 'c' .. whole(this_slot), calls) end
if failures > 0 then redis.call('HINCRBY', key, 'f' .. whole(this_slot), failures) end
for _, organization in ipairs(cjson.decode(ARGV[12])) do redis.call('HDEL', key, 'x:' .. organization) end
if ARGV[10] ~= '[]' or ARGV[11] ~= '[]' then
  local _, _, calling, failing = totals()
  note_callers('o', calling, cjson.decode(ARGV[10]))
  note_callers('x', failing, cjson.decode(ARGV[11]))
end
if failures == 0 or (get('state') or 'closed') ~= 'closed' then return answer(is_new) end
if KEYS[3] and (redis.call('HGET', KEYS[3], 'state') or 'closed') ~= 'closed' then return answer(is_new) end
local all_calls, all_failures, calling, failing = totals()
if not is_tripped(all_failures, all_calls, ARGV[8], ARGV[9]) then return answer(is_new) end
if not opens_for_all(calling, failing) then return answer(is_new) end
open_circuit(open_for)
return answer(true)
`);

// 6 the probe's id  7 its lease in ms  8 its organisation, or ''  9 organisations that were refused, as a JSON list. Grants
// the probe if one is due. An organisation whose probe ended without a success leaves the next ones to another that waits
// on any server: the twin of resilience/spare-organizations.ts.
export const CLAIM_PROBE = step(`
local state, organization = get('state') or 'closed', ARGV[8]
for _, waiting in ipairs(cjson.decode(ARGV[9])) do
  if state ~= 'closed' and waiting ~= get('prober') then
    redis.call('HSET', key, 'waiting', waiting, 'waitsUntil', whole(now + ${REFUSED_MS}))
  end
end
local is_due = state == 'open' and number('probeAt') <= now
  or state == 'half_open' and ((get('probe') or '') == '' or number('probeUntil') <= now)
if not is_due then return answer(false) end
if organization ~= '' and get('prober') == organization and number('yieldsUntil') > now
  and get('waiting') ~= organization and number('waitsUntil') > now then return answer(false) end
local lease = whole(now + tonumber(ARGV[7]))
local probe = { 'probe', ARGV[6], 'probeUntil', lease, 'prober', organization, 'yieldsUntil', 0 }
if get('waiting') == organization then redis.call('HDEL', key, 'waiting', 'waitsUntil') end
if state == 'open' then move('half_open', unpack(probe)) else put(unpack(probe)) end
return answer(true)
`);

// 6 the probe's id  7 its lease in ms
export const RENEW_PROBE = step(`
if get('probe') == ARGV[6] then redis.call('HSET', key, 'probeUntil', whole(now + tonumber(ARGV[7]))) end
return answer(false)
`);

// 6 the probe's id  7 its health, or 'unused'  8 successes that close the circuit  9 and 10 the failures and the ratio that
// open it
export const END_PROBE = step(`
if get('state') ~= 'half_open' or get('probe') ~= ARGV[6] then return answer(false) end
if ARGV[7] ~= 'success' and ARGV[7] ~= 'unused' then
  redis.call('HSET', key, 'yieldsUntil', whole(now + ${YIELD_MS}))
end
if ARGV[7] == 'failure' then
  -- COUNT_CALLS adds this call later.
  local calls, failures, calling, failing = totals()
  local is_enough = is_tripped(failures + 1, calls + 1, ARGV[9], ARGV[10]) and opens_for_all(calling, failing)
  if is_limited() and not is_enough then
    open_until('limit', number('openedAt'), now + ${PROBE_RETRY_MS})
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
if (get('state') or 'closed') == 'closed' or not is_limited() then return answer(false) end
close_circuit()
return answer(true)
`);

export const RESET_CIRCUIT = step(`
close_circuit()
return answer(true)
`);

// A server's own state, after Redis was unavailable: 6 state  7 ms until the next probe  8 the version it knew  9 '1' when
// the server decided so by its own counts  10 the cause. An open state is accepted from a server that saw the failures, and,
// if Redis has no record, from a server that only remembers it. A closed state is accepted if Redis has had no change since.
export const RESTORE_CIRCUIT = step(`
local version = get('version')
local is_closed = (get('state') or 'closed') == 'closed'
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

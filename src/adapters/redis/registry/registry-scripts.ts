// The scripts of the registry. Every time is Redis' own. A record is the JSON of its server with `lastHeartbeat` added as
// the last member, so that an operator can read it with GET.

import { defineScript } from '../connection/redis-script.ts';

/**
 * Keys: record, index, wanted modes. Arguments: id, incarnation, JSON of the record without its closing brace, suspected
 * after ms, lifetime ms, lifetime of a mode ms. Returns the wanted mode, or { last heartbeat, now } if another incarnation
 * has the id.
 */
export const ANNOUNCE = defineScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local beat = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]))
local record = redis.call('GET', KEYS[1])
if record and beat and now - beat <= tonumber(ARGV[4])
  and cjson.decode(record).incarnation ~= ARGV[2] then
  return { beat, now }
end
redis.call('SET', KEYS[1], ARGV[3] .. ',"lastHeartbeat":' .. string.format('%d', now) .. '}', 'PX', ARGV[5])
redis.call('ZADD', KEYS[2], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - tonumber(ARGV[5]))
redis.call('PEXPIRE', KEYS[2], ARGV[5])
local wanted = redis.call('HGET', KEYS[3], ARGV[1])
if not wanted then return 'active' end
local mode = string.match(wanted, '^%a+')
if mode == 'draining' and wanted ~= 'draining ' .. ARGV[2] then
  redis.call('HDEL', KEYS[3], ARGV[1])
  return 'active'
end
redis.call('PEXPIRE', KEYS[3], ARGV[6])
return mode
`);

/** Keys: record, index. Arguments: id, incarnation. */
export const WITHDRAW = defineScript(`
local record = redis.call('GET', KEYS[1])
if not record or cjson.decode(record).incarnation ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[1])
return redis.call('ZREM', KEYS[2], ARGV[1])
`);

/**
 * Keys: record, wanted modes: a hash of id to mode and incarnation. Arguments: mode, lifetime of the modes ms, channel, id.
 * Returns 0 if there is no such server.
 */
export const SET_MODE = defineScript(`
local record = redis.call('GET', KEYS[1])
if not record then return 0 end
if ARGV[1] == 'active' then
  redis.call('HDEL', KEYS[2], ARGV[4])
else
  redis.call('HSET', KEYS[2], ARGV[4], ARGV[1] .. ' ' .. cjson.decode(record).incarnation)
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
end
redis.call('PUBLISH', ARGV[3], ARGV[4])
return 1
`);

/** Keys: lease. Arguments: holder, ttl ms. Returns 1 if the holder has the lease now. */
export const ACQUIRE_LEASE = defineScript(`
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`);

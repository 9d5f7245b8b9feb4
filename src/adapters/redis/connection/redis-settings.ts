// How long Redis is waited for, and how the driver is told to behave. Nothing is queued for a Redis that is away and
// nothing is sent twice: a caller is told at once and decides itself.

import type { RedisOptions } from 'ioredis';
import type { Clock } from '../../../kernel/clock.ts';

export type RedisTimeouts = {
  /** For a command that a request waits for. */
  readonly commandTimeoutMs: number;
  /** For a command that nobody's request waits for. */
  readonly patientTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** How often a connection is asked whether it is alive. */
  readonly beatMs: number;
};

export const REDIS_TIMEOUTS: RedisTimeouts = Object.freeze({
  commandTimeoutMs: 100,
  patientTimeoutMs: 1000,
  connectTimeoutMs: 2000,
  beatMs: 1000,
});

/** Left to a farewell before the socket is destroyed. */
export const FAREWELL_MS = 100;
/** Beyond ours, so that ours are the ones that fire; within it a handshake must be done. */
const LAST_RESORT_MS = 500;
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 2000;

export function driverOptions(name: string, timeouts: RedisTimeouts, clock: Clock): RedisOptions {
  return {
    connectionName: `spillway:${name}`,
    connectTimeout: timeouts.connectTimeoutMs,
    commandTimeout: timeouts.patientTimeoutMs + LAST_RESORT_MS,
    disconnectTimeout: FAREWELL_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // The greeting is the check, and needs no INFO, which an access list may forbid.
    enableReadyCheck: false,
    // The driver's own way leaves a promise to nobody.
    autoResubscribe: false,
    retryStrategy: (times) => retryDelay(times, clock),
    // After a failover the old address may lead to a replica.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  };
}

/** For ever; half to one and a half of a doubling wait, so that servers do not come back in step. */
function retryDelay(times: number, clock: Clock): number {
  const doubling = FIRST_RETRY_MS * 2 ** Math.min(times - 1, 10);
  return Math.min(doubling, MAX_RETRY_MS) * (0.5 + clock.random());
}

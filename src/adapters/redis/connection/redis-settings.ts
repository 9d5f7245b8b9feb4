// Timeouts, and the driver's options. The driver neither queues commands for an unavailable Redis nor sends one twice: the
// command is rejected at once and its caller decides.

import type { RedisOptions } from 'ioredis';
import type { Clock } from '../../../kernel/clock.ts';
import { addressOptions, isSentinelUrl, type RedisAddress } from './redis-address.ts';

export type RedisTimeouts = {
  /** For a command that a request waits for. */
  readonly commandTimeoutMs: number;
  /** For a command that no request waits for. */
  readonly backgroundTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly heartbeatMs: number;
};

export const REDIS_TIMEOUTS: RedisTimeouts = Object.freeze({
  commandTimeoutMs: 100,
  backgroundTimeoutMs: 1000,
  connectTimeoutMs: 2000,
  heartbeatMs: 1000,
});

/** From QUIT until the socket is destroyed. */
export const DISCONNECT_TIMEOUT_MS = 100;
/** The driver's own command timeout fires this much after ours; it also bounds the handshake. */
const DRIVER_MARGIN_MS = 500;
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 2000;
/** Each retry asks the Sentinels again: a promotion must not wait for a long delay. */
const MAX_SENTINEL_RETRY_MS = 250;

export type DriverParts = {
  readonly address: RedisAddress;
  readonly name: string;
  readonly timeouts: RedisTimeouts;
  readonly clock: Clock;
};

export function driverOptions({
  address,
  name,
  timeouts,
  clock,
}: DriverParts): RedisOptions & { url?: string } {
  const maxRetryMs = isSentinelUrl(address.url) ? MAX_SENTINEL_RETRY_MS : MAX_RETRY_MS;
  const retryStrategy = (times: number) => retryDelay(times, maxRetryMs, clock);
  return {
    ...addressOptions(address),
    connectionName: `spillway:${name}`,
    connectTimeout: timeouts.connectTimeoutMs,
    commandTimeout: timeouts.backgroundTimeoutMs + DRIVER_MARGIN_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // `verify` is the check; the driver's needs INFO, which an access list may forbid.
    enableReadyCheck: false,
    // The driver's own resubscription leaves a promise without a handler.
    autoResubscribe: false,
    retryStrategy,
    sentinelRetryStrategy: retryStrategy,
    sentinelCommandTimeout: timeouts.backgroundTimeoutMs,
    // After a failover the old primary is a replica, or has lost its replicas and accepts no writes.
    reconnectOnError: ({ message }) => /\b(READONLY|NOREPLICAS)\b/.test(message),
  };
}

/** Retries without end. Jitter of half the delay keeps servers from reconnecting in step. */
function retryDelay(times: number, maxMs: number, clock: Clock): number {
  const doubling = FIRST_RETRY_MS * 2 ** Math.min(times - 1, 10);
  return Math.min(doubling, maxMs) * (0.5 + clock.random());
}

// Opens the Redis of a cluster: one connection for commands and one for subscriptions, which may need a connection of their
// own. A server starts and serves without its Redis and uses it again as soon as it is available. The log has one entry for
// each loss and each recovery, however many requests notice.

import type { Redis } from 'ioredis';
import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import { answerWithin } from './answer-within.ts';
import { failureText, permanentFailure } from './failure-text.ts';
import type { RedisAddress } from './redis-address.ts';
import { RedisConnection } from './redis-connection.ts';
import { REDIS_TIMEOUTS, type RedisTimeouts } from './redis-settings.ts';
import { createSubscriptions, type Subscriber } from './subscriptions.ts';

export type RedisLink = {
  isUp(): boolean;
  /** Rejects at once while Redis is unavailable, and after the timeout; by default the timeout for requests. */
  run<T>(command: (redis: Redis) => Promise<T>, timeoutMs?: number): Promise<T>;
  /** As `run`, with the timeout for work that no request waits for. */
  runInBackground<T>(command: (redis: Redis) => Promise<T>): Promise<T>;
  /** Notifies the listener each time Redis becomes available. */
  onUp(listener: () => void): void;
  /** Renewed on every new connection. Resolves when subscribed, or at once while Redis is unavailable. */
  subscribe(channel: string, subscriber: Subscriber): Promise<void>;
  /** Resolves when Redis is available, when it fails permanently, or after the timeout. */
  ready(timeoutMs: number): Promise<void>;
  /** The driver's last error. */
  lastFailure(): unknown;
  /** Why `verify` rejected the Redis that answers. */
  refusal(): string | undefined;
  /** Idempotent. */
  close(): Promise<void>;
};

export type OpenRedisOptions = RedisAddress & {
  readonly clock: Clock;
  readonly log: Log;
  readonly timeouts?: Partial<RedisTimeouts>;
  /** Runs on every new connection and at every heartbeat; returns why this Redis must not be used. */
  readonly verify?: (redis: Redis) => Promise<string | undefined>;
};

export function openRedis(options: OpenRedisOptions): RedisLink {
  const { url, ca, clock, log } = options;
  const timeouts = { ...REDIS_TIMEOUTS, ...options.timeouts };
  const basis = { address: { url, ca }, clock, timeouts };
  const listeners = new Set<() => void>();
  const logChange = createChangeLog(log);
  const refused = Promise.withResolvers<void>();
  const commands = new RedisConnection({
    ...basis,
    name: 'commands',
    verify: options.verify ?? ping,
    onStateChange(isUp) {
      logChange(isUp, commands);
      if (isUp) for (const listener of listeners) listener();
    },
    onFailure() {
      const { refusal, lastFailure } = commands;
      if (refusal ?? permanentFailure(lastFailure)) refused.resolve();
    },
  });
  const subscriptions = createSubscriptions(basis);

  function untilUp(): Promise<void> {
    if (commands.isUp) return Promise.resolve();
    return new Promise((resolve) => listeners.add(resolve));
  }

  return {
    isUp: () => commands.isUp,
    run: (command, timeoutMs) => commands.run(command, timeoutMs),
    runInBackground: (command) => commands.run(command, timeouts.backgroundTimeoutMs),
    onUp: (listener) => void listeners.add(listener),
    subscribe: (channel, subscriber) => subscriptions.add(channel, subscriber),
    async ready(timeoutMs) {
      const usable = Promise.all([untilUp(), subscriptions.ready()]);
      await answerWithin(clock, timeoutMs, Promise.race([usable, refused.promise]));
      if (!commands.isUp) logChange(false, commands);
    },
    lastFailure: () => commands.lastFailure,
    refusal: () => commands.refusal,
    async close() {
      await Promise.all([commands.close(), subscriptions.close()]);
    },
  };
}

async function ping(redis: Redis): Promise<undefined> {
  await redis.ping();
}

/** Logs each change once; an available Redis at the start is no change. */
function createChangeLog(log: Log): (isUp: boolean, connection: RedisConnection) => void {
  let wasUp = true;
  return (isUp, { refusal, lastFailure }) => {
    if (isUp === wasUp) return;
    wasUp = isUp;
    if (isUp)
      return log.write({ level: 'info', type: 'error', message: 'Redis is available again' });
    const reason = refusal ?? failureText(lastFailure);
    const message = 'Redis is unavailable: limits and circuits are not shared until it is back';
    log.write({ level: 'warn', type: 'error', message, metadata: { reason } });
  };
}

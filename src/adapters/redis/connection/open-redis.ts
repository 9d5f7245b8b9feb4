// Opens the Redis of a cluster: one connection for commands and one that listens, because a subscription may take a
// connection for itself. Redis that is away keeps nothing from starting or serving; it is used again by itself when
// it is back. One line in the log each way, however many requests notice.

import type { Redis } from 'ioredis';
import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import { answerWithin } from './answer-within.ts';
import { RedisConnection } from './redis-connection.ts';
import { REDIS_TIMEOUTS, type RedisTimeouts } from './redis-settings.ts';
import { createSubscriptions, type Subscriber } from './subscriptions.ts';
import { reasonOf, whyRefused } from './why-unusable.ts';

export type RedisLink = {
  isUp(): boolean;
  /** Rejects at once while Redis is away, and when the time is up: as for a request unless told otherwise. */
  run<T>(ask: (redis: Redis) => Promise<T>, limitMs?: number): Promise<T>;
  /** As `run`, for what no request waits for. */
  runPatiently<T>(ask: (redis: Redis) => Promise<T>): Promise<T>;
  /** Told each time Redis can be used again. */
  onUp(fn: () => void): void;
  /** Subscribed again whenever the connection is new. Resolves when it is, or when Redis is away. */
  subscribe(channel: string, subscriber: Subscriber): Promise<void>;
  /** Resolves when Redis can be used, when waiting does not mend what is wrong, or when the patience is at its end. */
  ready(patienceMs: number): Promise<void>;
  /** What kept it away, as the driver said it. */
  lastFailure(): unknown;
  /** Why the Redis that answers must not be used. */
  refusal(): string | undefined;
  /** Idempotent. */
  close(): Promise<void>;
};

export type OpenRedisOptions = {
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly timeouts?: Partial<RedisTimeouts>;
  /** Asked of every new connection and now and then: why this Redis must not be used, if it must not. */
  readonly greet?: (redis: Redis) => Promise<string | undefined>;
};

export function openRedis(options: OpenRedisOptions): RedisLink {
  const { url, clock, log } = options;
  const timeouts = { ...REDIS_TIMEOUTS, ...options.timeouts };
  const basis = { url, clock, timeouts };
  const listeners = new Set<() => void>();
  const tell = createTeller(log);
  const hopeless = Promise.withResolvers<void>();
  const commands = new RedisConnection({
    ...basis,
    name: 'commands',
    greet: options.greet ?? ping,
    onStateChange(isUp) {
      tell(isUp, commands);
      if (isUp) for (const listener of listeners) listener();
    },
    onTrouble() {
      const { refusal, lastFailure } = commands;
      if (refusal ?? whyRefused(lastFailure)) hopeless.resolve();
    },
  });
  const subscriptions = createSubscriptions(basis);

  function untilUp(): Promise<void> {
    if (commands.isUp) return Promise.resolve();
    return new Promise((resolve) => listeners.add(resolve));
  }

  return {
    isUp: () => commands.isUp,
    run: (ask, limitMs) => commands.run(ask, limitMs),
    runPatiently: (ask) => commands.run(ask, timeouts.patientTimeoutMs),
    onUp: (fn) => void listeners.add(fn),
    subscribe: (channel, subscriber) => subscriptions.add(channel, subscriber),
    async ready(patienceMs) {
      const usable = Promise.all([untilUp(), subscriptions.ready()]);
      await answerWithin(clock, patienceMs, Promise.race([usable, hopeless.promise]));
      if (!commands.isUp) tell(false, commands);
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

/** That it is there at the start is nothing to tell; that it is not, or no longer, is told once. */
function createTeller(log: Log): (isUp: boolean, connection: RedisConnection) => void {
  let wasUp = true;
  return (isUp, { refusal, lastFailure }) => {
    if (isUp === wasUp) return;
    wasUp = isUp;
    if (isUp) return log.write({ level: 'info', type: 'error', message: 'Redis is back' });
    const reason = refusal ?? reasonOf(lastFailure);
    const message = 'Redis is away: what the servers learn is not shared until it is back';
    log.write({ level: 'warn', type: 'error', message, metadata: { reason } });
  };
}

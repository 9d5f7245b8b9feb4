// Subscriptions to Redis channels, renewed on every new connection. Messages published in between are lost, so each
// subscriber is notified of the renewal and reads the current state.

import type { Redis } from 'ioredis';
import type { Clock } from '../../../kernel/clock.ts';
import type { RedisAddress } from './redis-address.ts';
import { RedisConnection } from './redis-connection.ts';
import type { RedisTimeouts } from './redis-settings.ts';

export type Subscriber = {
  onMessage(message: string): void;
  /** Messages from now on arrive; earlier ones may be lost. */
  onSubscribed(): void;
};

export type Subscriptions = {
  add(channel: string, subscriber: Subscriber): Promise<void>;
  /** Resolves when the first connection is up. */
  ready(): Promise<void>;
  close(): Promise<void>;
};

export type SubscriptionsParts = {
  readonly address: RedisAddress;
  readonly timeouts: RedisTimeouts;
  readonly clock: Clock;
};

export function createSubscriptions(parts: SubscriptionsParts): Subscriptions {
  const subscribers = new Map<string, Subscriber>();
  const first = Promise.withResolvers<void>();
  const connection = new RedisConnection({
    ...parts,
    name: 'subscriber',
    // A repeated SUBSCRIBE changes nothing and is answered: it is the heartbeat of this connection.
    verify: (redis) => subscribeTo(redis, [...subscribers.keys()]),
    onStateChange(isUp) {
      if (!isUp) return;
      first.resolve();
      for (const [channel, subscriber] of subscribers) void subscribe(channel, subscriber);
    },
  });
  connection.onMessage((channel, message) => subscribers.get(channel)?.onMessage(message));

  async function subscribe(channel: string, subscriber: Subscriber): Promise<void> {
    const { backgroundTimeoutMs } = parts.timeouts;
    try {
      await connection.run((redis) => subscribeTo(redis, [channel]), backgroundTimeoutMs);
      subscriber.onSubscribed();
    } catch {
      // The next connection subscribes again.
    }
  }

  return {
    async add(channel, subscriber) {
      subscribers.set(channel, subscriber);
      if (connection.isUp) await subscribe(channel, subscriber);
    },
    ready: () => first.promise,
    close: () => connection.close(),
  };
}

async function subscribeTo(redis: Redis, channels: readonly string[]): Promise<undefined> {
  if (channels.length === 0) await redis.ping();
  else await redis.subscribe(...channels);
}

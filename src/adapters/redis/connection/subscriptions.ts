// What is listened to on Redis. A channel is subscribed again on every new connection; what was said meanwhile is
// lost, so each subscriber is told that it begins anew and looks for itself.

import type { Redis } from 'ioredis';
import type { Clock } from '../../../kernel/clock.ts';
import { RedisConnection } from './redis-connection.ts';
import type { RedisTimeouts } from './redis-settings.ts';

export type Subscriber = {
  hear(message: string): void;
  /** From now on nothing is missed; what was said before may have been. */
  begin(): void;
};

export type Subscriptions = {
  add(channel: string, subscriber: Subscriber): Promise<void>;
  /** Resolves when the connection stands for the first time. */
  ready(): Promise<void>;
  close(): Promise<void>;
};

export type SubscriptionsParts = {
  readonly url: string;
  readonly timeouts: RedisTimeouts;
  readonly clock: Clock;
};

export function createSubscriptions(parts: SubscriptionsParts): Subscriptions {
  const subscribers = new Map<string, Subscriber>();
  const first = Promise.withResolvers<void>();
  const connection = new RedisConnection({
    ...parts,
    name: 'subscriber',
    // To subscribe again to the same channels changes nothing and is answered: the beat of this connection.
    greet: (redis) => subscribeTo(redis, [...subscribers.keys()]),
    onStateChange(isUp) {
      if (!isUp) return;
      first.resolve();
      for (const [channel, subscriber] of subscribers) void begin(channel, subscriber);
    },
  });
  connection.onMessage((channel, message) => subscribers.get(channel)?.hear(message));

  async function begin(channel: string, subscriber: Subscriber): Promise<void> {
    const { patientTimeoutMs } = parts.timeouts;
    try {
      await connection.run((redis) => subscribeTo(redis, [channel]), patientTimeoutMs);
      subscriber.begin();
    } catch {
      // It begins on the next connection.
    }
  }

  return {
    async add(channel, subscriber) {
      subscribers.set(channel, subscriber);
      if (connection.isUp) await begin(channel, subscriber);
    },
    ready: () => first.promise,
    close: () => connection.close(),
  };
}

async function subscribeTo(redis: Redis, channels: readonly string[]): Promise<undefined> {
  if (channels.length === 0) await redis.ping();
  else await redis.subscribe(...channels);
}

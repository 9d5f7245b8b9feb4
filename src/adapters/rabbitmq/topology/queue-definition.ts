// What the queues are that Spillway makes: names, durability, arguments. Pure; declaring them is done elsewhere.
// None has `x-expires`: a queue that expires takes its messages with it and dead-letters none.

export type QueueType = 'classic' | 'quorum';

export type QueueDefinition = {
  readonly queue: string;
  readonly durable: true;
  readonly arguments: Readonly<Record<string, string | number>>;
};

/**
 * A dead-lettered message is gone from here when it is safely there. Needs a quorum queue, and the overflow rule:
 * with the default one the broker falls back to at-most-once without a word.
 */
export const AT_LEAST_ONCE = Object.freeze({
  'x-queue-type': 'quorum',
  'x-dead-letter-strategy': 'at-least-once',
  'x-overflow': 'reject-publish',
});

/** Routing keys and names have 255 bytes, and the key of a delayed message holds the queue's name and more. */
const MAX_NAME_BYTES = 200;

/** A word `*` or `#` would be a wildcard where the name is part of a binding. */
export function isUsableName(name: string): boolean {
  if (name.length === 0 || Buffer.byteLength(name) > MAX_NAME_BYTES) return false;
  return name.split('.').every((word) => word !== '*' && word !== '#');
}

export function plainQueue(queue: string, type: QueueType): QueueDefinition {
  return { queue, durable: true, arguments: type === 'quorum' ? { 'x-queue-type': 'quorum' } : {} };
}

/** Where the existing systems put what has to wait a fixed time: `{queue}-delayed-{ms}ms`. */
export function fixedDelayQueue(queue: string, delayMs: number, type: QueueType): QueueDefinition {
  return {
    queue: `${queue}-delayed-${delayMs}ms`,
    durable: true,
    arguments: {
      ...(type === 'quorum' && AT_LEAST_ONCE),
      'x-message-ttl': delayMs,
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': queue,
    },
  };
}

/** Undefined when it is not the name of a queue for a fixed delay. */
export function parseFixedDelayName(
  name: string,
): { readonly queue: string; readonly delayMs: number } | undefined {
  const [, queue, digits] = /^(.+)-delayed-(\d{1,10})ms$/.exec(name) ?? [];
  return queue === undefined ? undefined : { queue, delayMs: Number(digits) };
}

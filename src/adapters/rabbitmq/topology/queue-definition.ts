// The names and arguments of the queues that Spillway declares. Pure. No queue has `x-expires`: an expiring queue drops its
// messages without dead-lettering them.

export type QueueType = 'classic' | 'quorum';

export type QueueDefinition = {
  readonly queue: string;
  readonly durable: true;
  readonly arguments: Readonly<Record<string, string | number>>;
};

/**
 * A dead-lettered message leaves its queue after the target has confirmed it. This needs a quorum queue and this overflow
 * rule: with the default one the broker silently falls back to at-most-once.
 */
export const AT_LEAST_ONCE = Object.freeze({
  'x-queue-type': 'quorum',
  'x-dead-letter-strategy': 'at-least-once',
  'x-overflow': 'reject-publish',
});

/** Routing keys have at most 255 bytes, and the key of a delayed message contains the queue's name. */
const MAX_NAME_BYTES = 200;

/** A word `*` or `#` would be a wildcard in the queue's binding. */
export function isUsableName(name: string): boolean {
  if (name.length === 0 || Buffer.byteLength(name) > MAX_NAME_BYTES) return false;
  return name.split('.').every((word) => word !== '*' && word !== '#');
}

export function plainQueue(queue: string, type: QueueType): QueueDefinition {
  return { queue, durable: true, arguments: type === 'quorum' ? { 'x-queue-type': 'quorum' } : {} };
}

/** The existing systems' queue for a fixed delay: `{queue}-delayed-{ms}ms`. */
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

/** Undefined for a name that is not of a fixed-delay queue. */
export function parseFixedDelayName(
  name: string,
): { readonly queue: string; readonly delayMs: number } | undefined {
  const [, queue, digits] = /^(.+)-delayed-(\d{1,10})ms$/.exec(name) ?? [];
  return queue === undefined ? undefined : { queue, delayMs: Number(digits) };
}

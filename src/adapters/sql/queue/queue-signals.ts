// Notifies the consumers of a queue, within this process, of a new message. Only a hint: a consumer that misses it finds
// the message by its timer.

export type QueueSignals = {
  notify(queue: string): void;
  /** Returns a function that ends the listening. */
  listen(queue: string, fn: () => void): () => void;
};

export function createQueueSignals(): QueueSignals {
  const listeners = new Map<string, Set<() => void>>();
  return {
    notify(queue) {
      for (const fn of listeners.get(queue) ?? []) fn();
    },
    listen(queue, fn) {
      const known = listeners.get(queue) ?? new Set();
      listeners.set(queue, known.add(fn));
      return () => void known.delete(fn);
    },
  };
}

// Keeps the order of things that are worked on at once. Each gets a place when it comes; at the point where order
// matters it waits until everybody before it has left. Who has nothing to do there leaves without waiting.

export type Place = {
  /** Resolves when all who came before have left. */
  readonly turn: Promise<void>;
  /** Lets the next one on. Idempotent. */
  leave(): void;
};

export function createLineUp(): () => Place {
  let last = Promise.resolve();
  return () => {
    const turn = last;
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    last = turn.then(() => left);
    return { turn, leave };
  };
}

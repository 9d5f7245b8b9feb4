// Keeps arrival order in concurrent work: each item takes a ticket when it arrives and, at the step where order matters,
// waits until all earlier tickets are done. An item that skips the step is done without waiting.

export type Ticket = {
  /** Resolves when all earlier tickets are done. */
  readonly turn: Promise<void>;
  /** Lets the next ticket proceed. Idempotent. */
  done(): void;
};

export function createSequencer(): () => Ticket {
  let last = Promise.resolve();
  return () => {
    const turn = last;
    const { promise, resolve: done } = Promise.withResolvers<void>();
    last = turn.then(() => promise);
    return { turn, done };
  };
}

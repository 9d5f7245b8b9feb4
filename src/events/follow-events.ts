// Follows a stream of stored events: existing ones first, then new ones as they come, page by page, until the last event
// or until the reader disconnects. It keeps one page in memory and reads the next when the reader has taken it
// (back-pressure). While the store is unavailable the stream pauses; it does not end. An event wakes all readers of a build at once:
// they read in turns of the event loop, because the embedded store reads within a turn.
// States: reading ⇄ waiting (until woken, or for a retry while the store is unavailable) → ended.

import { type Clock, sleep } from '../kernel/clock.ts';
import { TurnQueue } from '../kernel/next-turn.ts';

export type Followed<T> = {
  /** A page of the events after an id, in order; empty if there are none. */
  read(after: number): Promise<readonly T[]>;
  idOf(event: T): number;
  /** Whether the event is the last of its stream. */
  isLast(event: T): boolean;
  /** Calls `wake` when there may be new events; returns a function that ends the watch. */
  watch(wake: () => void): () => void;
};

const STORE_RETRY_AFTER_MS = 1000;

/** Readers of the process that read in one turn of the event loop. */
const READ_TURNS = new TurnQueue(4);

/** Whether a reader that has read everything up to `after` has read the last event. */
export async function hasEnded<T>(source: Followed<T>, after: number): Promise<boolean> {
  if (after <= 0) return false;
  const [seen, next] = await source.read(after - 1);
  if (seen === undefined || source.idOf(seen) !== after) return false;
  return source.isLast(seen) && next === undefined;
}

export async function* follow<T>(
  source: Followed<T>,
  from: { readonly after: number; readonly clock: Clock; readonly signal: AbortSignal },
): AsyncGenerator<readonly T[], void, void> {
  const { clock, signal } = from;
  const wakeUp = createWakeUp(signal);
  const endWatch = source.watch(wakeUp.wake);
  let after = from.after;
  let mayEnd = false;
  try {
    while (!signal.aborted) {
      wakeUp.reset();
      await READ_TURNS.turn();
      const page = await readOrPause(source, after, clock, signal);
      const last = page?.at(-1);
      if (page && last !== undefined) {
        yield page;
        after = source.idOf(last);
        mayEnd = source.isLast(last);
      } else if (page && mayEnd) return;
      else if (page) await wakeUp.wait();
    }
  } finally {
    endWatch();
  }
}

/** Undefined after a pause, if the store is unavailable. */
async function readOrPause<T>(
  source: Followed<T>,
  after: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<readonly T[] | undefined> {
  try {
    return await source.read(after);
  } catch {
    // The pause ends early if the reader disconnects.
    await sleep(clock, STORE_RETRY_AFTER_MS, signal).catch(() => {});
    return undefined;
  }
}

/** A wake-up that comes while the reader is not waiting ends its next wait immediately. */
function createWakeUp(signal: AbortSignal) {
  let isAwake = false;
  let waiting: (() => void) | undefined;
  function wake(): void {
    isAwake = true;
    waiting?.();
  }
  return {
    wake,
    reset(): void {
      isAwake = false;
    },
    wait(): Promise<void> {
      if (isAwake || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        function done(): void {
          signal.removeEventListener('abort', done);
          waiting = undefined;
          resolve();
        }
        waiting = done;
        signal.addEventListener('abort', done, { once: true });
      });
    },
  };
}

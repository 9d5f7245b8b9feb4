// Follows something that happens: what there is, then what comes, page by page, until it has ended or the reader goes.
// It never holds more than a page: the next is read when the reader has taken the last. A store that is away makes a
// pause, not an end.
// States: reading ⇄ waiting (woken by news, or looking again while the store is away) → ended.

import { type Clock, sleep } from '../kernel/clock.ts';

export type Followed<T> = {
  /** A page of what came after an id, in order; empty when there is nothing. */
  read(after: number): Promise<readonly T[]>;
  idOf(event: T): number;
  /** Whether nothing is expected after it. */
  isLast(event: T): boolean;
  /** Calls `wake` when there may be more; returns what ends the watching. */
  watch(wake: () => void): () => void;
};

const STORE_RETRY_AFTER_MS = 1000;

/** Whether a reader that has seen everything up to `after` has seen the end. */
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
  const news = createNews(signal);
  const endWatching = source.watch(news.wake);
  let after = from.after;
  let mayEnd = false;
  try {
    while (!signal.aborted) {
      news.forget();
      const page = await readOrPause(source, after, clock, signal);
      const last = page?.at(-1);
      if (page && last !== undefined) {
        yield page;
        after = source.idOf(last);
        mayEnd = source.isLast(last);
      } else if (page && mayEnd) return;
      else if (page) await news.next();
    }
  } finally {
    endWatching();
  }
}

/** Undefined when the store was away; by then a moment has passed. */
async function readOrPause<T>(
  source: Followed<T>,
  after: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<readonly T[] | undefined> {
  try {
    return await source.read(after);
  } catch {
    // The reader may go meanwhile, and then there is nothing to wait for.
    await sleep(clock, STORE_RETRY_AFTER_MS, signal).catch(() => {});
    return undefined;
  }
}

/** News that came while nobody waited are not lost: the next wait is over at once. */
function createNews(signal: AbortSignal) {
  let isThere = false;
  let waiting: (() => void) | undefined;
  function wake(): void {
    isThere = true;
    waiting?.();
  }
  return {
    wake,
    forget(): void {
      isThere = false;
    },
    next(): Promise<void> {
      if (isThere || signal.aborted) return Promise.resolve();
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

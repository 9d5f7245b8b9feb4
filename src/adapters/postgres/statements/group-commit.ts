// Group commit: items submitted in one turn of the event loop, or while a statement is in flight, share the next statement.
// Each item gets its own result. If PostgreSQL rejects the statement, nothing was written and every item of the batch runs
// alone, so a bad item fails only itself. If PostgreSQL is unavailable, the whole batch rejects and its effect is unknown.

import { isStatementError } from '../connection/store-unavailable.ts';

export type GroupCommitParts<Item, Result> = {
  /** Runs one statement for the items; one result per item, in their order. */
  readonly runBatch: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Items with equal keys never run at the same time; absent: items are independent. */
  readonly keyOf?: (item: Item) => string;
  /** Maximum number of statements in flight; 1 by default. */
  readonly maxInFlight?: number;
  /** Characters that the item adds to the statement; absent: items are small. */
  readonly sizeOf?: (item: Item) => number;
};

type Pending<Item, Result> = {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (cause: unknown) => void;
};

const MAX_BATCH_ITEMS = 128;
const MAX_BATCH_CHARACTERS = 2 ** 22;
/** After a batch of this size more items arrive within milliseconds; waiting for them saves a statement. */
const BUSY_BATCH_ITEMS = 4;
const BUSY_DELAY_MS = 2;
/** Pending items that justify a second statement in flight; fewer are cheaper in the next batch. */
const MIN_PARALLEL_ITEMS = 12;

export function createGroupCommit<Item, Result>(
  parts: GroupCommitParts<Item, Result>,
): (item: Item) => Promise<Result> {
  const { maxInFlight = 1 } = parts;
  let pending: Pending<Item, Result>[] = [];
  const keysInFlight = new Set<string>();
  let inFlight = 0;
  let isScheduled = false;
  let isBusy = false;

  /** Runs at the end of the turn, so that all items submitted in it share one statement. */
  function schedule(): void {
    if (isScheduled || pending.length === 0) return;
    if (inFlight > 0 && (inFlight >= maxInFlight || pending.length < MIN_PARALLEL_ITEMS)) return;
    isScheduled = true;
    if (isBusy) setTimeout(startBatch, BUSY_DELAY_MS);
    else setImmediate(startBatch);
  }

  function startBatch(): void {
    isScheduled = false;
    const batch = nextBatch(parts, pending, keysInFlight);
    if (batch.length === 0) return;
    isBusy = batch.length >= BUSY_BATCH_ITEMS;
    const chosen = new Set(batch);
    pending = pending.filter((each) => !chosen.has(each));
    void run(batch);
    schedule();
  }

  async function run(batch: readonly Pending<Item, Result>[]): Promise<void> {
    const keys = parts.keyOf ? batch.map(({ item }) => parts.keyOf?.(item) ?? '') : [];
    inFlight += 1;
    for (const key of keys) keysInFlight.add(key);
    await runBatch(parts, batch);
    for (const key of keys) keysInFlight.delete(key);
    inFlight -= 1;
    schedule();
  }

  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    pending.push({ item, resolve, reject });
    schedule();
    return promise;
  };
}

/** The pending items in order, except items whose key is in flight or already in the batch. */
function nextBatch<Item, Result>(
  { keyOf, sizeOf }: GroupCommitParts<Item, Result>,
  pending: readonly Pending<Item, Result>[],
  keysInFlight: ReadonlySet<string>,
): readonly Pending<Item, Result>[] {
  const keys = new Set<string>();
  const batch: Pending<Item, Result>[] = [];
  let characters = 0;
  for (const each of pending) {
    const key = keyOf?.(each.item) ?? '';
    if (keyOf && (keys.has(key) || keysInFlight.has(key))) continue;
    characters += sizeOf?.(each.item) ?? 0;
    const isFull = batch.length > 0 && characters > MAX_BATCH_CHARACTERS;
    if (isFull || batch.length >= MAX_BATCH_ITEMS) break;
    keys.add(key);
    batch.push(each);
  }
  return batch;
}

/** Settles every item of the batch; never rejects. */
async function runBatch<Item, Result>(
  parts: GroupCommitParts<Item, Result>,
  batch: readonly Pending<Item, Result>[],
): Promise<void> {
  try {
    resolveAll(batch, await parts.runBatch(batch.map(({ item }) => item)));
  } catch (cause) {
    const canRunAlone = batch.length > 1 && isStatementError(cause);
    if (!canRunAlone) return batch.forEach(({ reject }) => reject(cause));
    await Promise.all(batch.map((each) => runBatch(parts, [each])));
  }
}

function resolveAll<Item, Result>(
  batch: readonly Pending<Item, Result>[],
  results: readonly Result[],
): void {
  if (results.length !== batch.length)
    throw new Error(`a batch of ${batch.length} items returned ${results.length} results`);
  for (const [index, result] of results.entries()) batch[index]?.resolve(result);
}

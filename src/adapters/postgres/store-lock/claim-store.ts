// Takes a store for this process, or tells that it may not be had, and opens the session that keeps it. A process
// that was killed a moment ago may still be there for the server, so the first refusal is not the last word.

import type { Clock } from '../../../kernel/clock.ts';
import { sleep } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import { createQueueSignals, type QueueSignals } from '../../sql/queue/queue-signals.ts';
import { clientConfig, settingsFrom } from '../connection/postgres-options.ts';
import { Session } from '../connection/session.ts';
import { createPostgresQueueSignals } from '../jobs/queue-signals.ts';
import { createStoreHold, findHolder, type StoreHold, type StoreHoldState } from './store-lock.ts';

export type HeldStore = {
  readonly kind: 'held';
  state(): StoreHoldState;
  /** Reach the other processes too, where there may be others. */
  readonly signals: QueueSignals;
  /** Lets others have the store. Idempotent. */
  release(): Promise<void>;
};

/** Somebody else has it; the address is where they connect from, when the server tells. */
export type StoreInUse = { readonly kind: 'in_use'; readonly address: string | undefined };

export type HoldParts = {
  /** Whether others may hold it too, as long as they also share. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** How long to ask again when it is refused. */
  readonly patienceMs?: number;
};

const PATIENCE_MS = 3000;
const ASK_AGAIN_MS = 200;

export async function holdStore(
  url: string,
  { isShared, clock, log, patienceMs = PATIENCE_MS }: HoldParts,
): Promise<HeldStore | StoreInUse> {
  const settings = settingsFrom({ applicationName: 'spillway session' });
  const hold = createStoreHold(isShared ? 'shared' : 'alone', log);
  const shared = isShared ? createPostgresQueueSignals() : undefined;
  const session = new Session({
    config: clientConfig(url, settings),
    queryTimeoutMs: settings.queryTimeoutMs,
    duties: shared ? [hold, shared] : [hold],
    clock,
    log,
  });
  await session.open();
  try {
    await waitForHold(hold, session, clock, patienceMs);
    if (hold.state() !== 'held') {
      const address = await findHolder(session.run);
      await session.close();
      return { kind: 'in_use', address };
    }
  } catch (cause) {
    await session.close();
    throw cause;
  }
  return {
    kind: 'held',
    state: () => hold.state(),
    signals: shared ?? createQueueSignals(),
    release: () => session.close(),
  };
}

async function waitForHold(
  hold: StoreHold,
  session: Session,
  clock: Clock,
  patienceMs: number,
): Promise<void> {
  const until = clock.monotonic() + patienceMs;
  while (hold.state() !== 'held' && clock.monotonic() < until) {
    await sleep(clock, ASK_AGAIN_MS);
    await hold.retry(session.run);
  }
}

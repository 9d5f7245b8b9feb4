// Locks a store for this process and opens the session that keeps the lock. PostgreSQL may keep the session of a process
// that was killed a moment ago, so a refused lock is retried for a few seconds before the store counts as in use.

import type { Clock } from '../../../kernel/clock.ts';
import { sleep } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import { createQueueSignals, type QueueSignals } from '../../sql/queue/queue-signals.ts';
import { clientConfig, settingsFrom, timeoutParameters } from '../connection/postgres-options.ts';
import { Session } from '../connection/session.ts';
import { createPostgresQueueSignals } from '../jobs/queue-signals.ts';
import {
  createStoreLock,
  findLockOwner,
  type StoreLock,
  type StoreLockState,
} from './store-lock.ts';

export type LockedStore = {
  readonly kind: 'locked';
  state(): StoreLockState;
  /** On a shared store they reach the other processes too. */
  readonly signals: QueueSignals;
  /** Ends the session and with it the lock. Idempotent. */
  release(): Promise<void>;
};

/** Another server has the lock; the address is its client address, if PostgreSQL shows it. */
export type StoreInUse = { readonly kind: 'in_use'; readonly address: string | undefined };

export type StoreLockParts = {
  /** Whether other servers that also share may use the store. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** For how long a refused lock is retried. */
  readonly patienceMs?: number;
};

const DEFAULT_PATIENCE_MS = 3000;
const RETRY_MS = 200;

export async function lockStore(
  url: string,
  { isShared, clock, log, patienceMs = DEFAULT_PATIENCE_MS }: StoreLockParts,
): Promise<LockedStore | StoreInUse> {
  const settings = settingsFrom({ applicationName: 'spillway session' });
  const lock = createStoreLock(isShared ? 'shared' : 'exclusive', log);
  const sharedSignals = isShared ? createPostgresQueueSignals() : undefined;
  const session = new Session({
    config: clientConfig(url, settings),
    parameters: timeoutParameters(url, settings),
    queryTimeoutMs: settings.queryTimeoutMs,
    listeners: sharedSignals ? [lock, sharedSignals] : [lock],
    clock,
    log,
  });
  await session.open();
  try {
    await retryUntilLocked(lock, session, clock, patienceMs);
    if (lock.state() !== 'locked') {
      const address = await findLockOwner(session.run);
      await session.close();
      return { kind: 'in_use', address };
    }
  } catch (cause) {
    await session.close();
    throw cause;
  }
  return {
    kind: 'locked',
    state: () => lock.state(),
    signals: sharedSignals ?? createQueueSignals(),
    release: () => session.close(),
  };
}

async function retryUntilLocked(
  lock: StoreLock,
  session: Session,
  clock: Clock,
  patienceMs: number,
): Promise<void> {
  const until = clock.monotonic() + patienceMs;
  while (lock.state() !== 'locked' && clock.monotonic() < until) {
    await sleep(clock, RETRY_MS);
    await lock.retry(session.run);
  }
}

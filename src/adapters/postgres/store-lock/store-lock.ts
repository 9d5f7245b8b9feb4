// The advisory lock that keeps a store to the servers that may share it: servers with a common Redis take it shared, a
// server without one takes it exclusively. The lock belongs to the session, so it ends with the process however that
// dies, and is acquired again on every new session.
// States: unavailable (no session) → locked | conflict (another server has it; retried with each heartbeat) → unavailable.

import type { Log } from '../../../kernel/log.ts';
import type { RunStatement, SessionListener } from '../connection/session.ts';

/** The ids of Spillway's advisory locks. The first one keeps them apart from other programs' locks in the database. */
export const STORE_LOCKS = Object.freeze({
  /** "spil" */
  family: 0x73_70_69_6c,
  /** Held while migrations run. */
  migrating: 1,
  /** Held while a server runs. */
  serving: 2,
});

export type StoreLockState = 'unavailable' | 'locked' | 'conflict';

export type StoreLock = SessionListener & {
  state(): StoreLockState;
  /** Tries again to acquire a lock that another server had. */
  retry(run: RunStatement): Promise<void>;
};

export function createStoreLock(mode: 'exclusive' | 'shared', log: Log): StoreLock {
  const tryLock = mode === 'exclusive' ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
  let state: StoreLockState = 'unavailable';
  let wasLocked = false;

  async function acquire(run: RunStatement): Promise<void> {
    const { family, serving } = STORE_LOCKS;
    const [row] = await run(`select ${tryLock}($1, $2) as is_acquired`, [family, serving]);
    const next = row?.['is_acquired'] === true ? 'locked' : 'conflict';
    // A server that never had the lock refuses to start instead of logging this.
    if (wasLocked && next === 'conflict' && state !== 'conflict') logConflict(log);
    state = next;
    wasLocked ||= next === 'locked';
  }

  return {
    state: () => state,
    onConnect: acquire,
    retry: acquire,
    onHeartbeat: async (run) => (state === 'locked' ? void (await run('select 1')) : acquire(run)),
    onLost() {
      state = 'unavailable';
    },
  };
}

function logConflict(log: Log): void {
  log.write({
    level: 'critical',
    type: 'error',
    message:
      'another Spillway locked the store while PostgreSQL was unavailable: stop one of the two, or give both the same REDIS_URL',
  });
}

/** The client address of a session that has the lock; undefined if PostgreSQL does not show it. */
export async function findLockOwner(run: RunStatement): Promise<string | undefined> {
  const [row] = await run(
    `select host(activity.client_addr) as address, activity.pid
     from pg_locks as lock join pg_stat_activity as activity using (pid)
     where lock.locktype = 'advisory' and lock.granted
       and lock.database = (select oid from pg_database where datname = current_database())
       and lock.classid = $1 and lock.objid = $2 limit 1`,
    [STORE_LOCKS.family, STORE_LOCKS.serving],
  );
  const address = row?.['address'];
  return typeof address === 'string' ? address : undefined;
}

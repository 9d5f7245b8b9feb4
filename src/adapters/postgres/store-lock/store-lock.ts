// Keeps a store to the servers that may use it together: those that share a Redis hold it together, one without
// holds it alone. The hold is an advisory lock of the session, so it ends with the process however that dies,
// and is taken again when the session is made anew.
// States: away (no session) → held | taken (somebody else has it; asked for again now and then) → away.

import type { Log } from '../../../kernel/log.ts';
import type { RunStatement, SessionDuty } from '../connection/session.ts';
import { STORE_LOCKS } from './lock-numbers.ts';

export type StoreHoldState = 'away' | 'held' | 'taken';

export type StoreHold = SessionDuty & {
  state(): StoreHoldState;
  /** Asks again for a lock that somebody else had a moment ago. */
  retry(run: RunStatement): Promise<void>;
};

export function createStoreHold(kind: 'alone' | 'shared', log: Log): StoreHold {
  const tryLock = kind === 'alone' ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared';
  let state: StoreHoldState = 'away';
  let wasHeld = false;

  async function take(run: RunStatement): Promise<void> {
    const { family, serving } = STORE_LOCKS;
    const [row] = await run(`select ${tryLock}($1, $2) as is_mine`, [family, serving]);
    const next = row?.['is_mine'] === true ? 'held' : 'taken';
    // Before the first time it is the starting server that is told, and it does not serve.
    if (wasHeld && next !== state) tell(log, next);
    state = next;
    wasHeld ||= next === 'held';
  }

  return {
    state: () => state,
    begin: take,
    retry: take,
    tend: async (run) => (state === 'held' ? void (await run('select 1')) : take(run)),
    end() {
      state = 'away';
    },
  };
}

function tell(log: Log, state: 'held' | 'taken'): void {
  if (state === 'held') return;
  log.write({
    level: 'critical',
    type: 'error',
    message:
      'another Spillway took the store while PostgreSQL was away: only one of the two may run',
  });
}

/** Who has the store, as far as the server tells. */
export async function findHolder(run: RunStatement): Promise<string | undefined> {
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

// A process for a test to kill: a server that spends a budget as fast as it can, on embedded storage or a shared
// PostgreSQL. It prints `reserved <id>` before an attempt would be sent, `used <id>` when its caller would have the
// answer, `refused <id>`, and `done` after the last request. Arguments: data folder, incarnation, number of requests,
// lifetime of a reservation in ms, percentage of settled attempts, the URL of PostgreSQL (optional), and the time in ms
// over which the requests are spread (optional).

import path from 'node:path';
import { openPostgres } from '../../src/adapters/postgres/connection/open-postgres.ts';
import { createSharedBudgetStore } from '../../src/adapters/postgres/metering/shared-budget-store.ts';
import { createPostgresUsageStore } from '../../src/adapters/postgres/metering/usage-store.ts';
import { openSqlite } from '../../src/adapters/sqlite/open-sqlite.ts';
import { createSqliteUsageStore } from '../../src/adapters/sqlite/usage-store.ts';
import { sleep, systemClock } from '../../src/kernel/clock.ts';
import {
  budgetOwner,
  decided,
  reservationRequest,
  usageOf,
} from '../support/budgets/budget-ask.ts';
import { openBudgetServer } from '../support/budgets/budget-rig.ts';

const [folder = '', life = '', asks = '0', reservationMs = '0', settled = '100', url, spreadMs] =
  process.argv.slice(2);
const clock = systemClock;
const server = await openServer();
// The clock's timers do not keep a process alive; in production the HTTP server does.
setInterval(() => {}, 60_000);
const owner = budgetOwner({ organizationLimitNanos: Number.MAX_SAFE_INTEGER });
say('ready');
await Promise.all(Array.from({ length: Number(asks) }, (_, index) => attempt(`${life}-${index}`)));
say('done');

async function attempt(id: string): Promise<void> {
  // By default embedded requests are spread over 400 ms, and requests to a shared store start immediately.
  const spread = Number(spreadMs ?? (url === undefined ? 400 : 0));
  if (spread > 0) await sleep(clock, Math.random() * spread);
  const expiresAt = clock.now() + Number(reservationMs);
  const ask = reservationRequest(id, { owner, worstNanos: 10, patienceMs: 4000, expiresAt });
  const decision = await decided(server.ledger, ask);
  if (decision.kind !== 'reserved') return say(`refused ${id}`);
  say(`reserved ${id}`);
  await sleep(clock, Math.random() * 50);
  if (Math.random() * 100 >= Number(settled)) return;
  await server.record({ ...usageOf(ask, 4, decision.month), createdAt: clock.now() });
  say(`used ${id}`);
}

async function openServer() {
  const parts = { folder: path.join(folder, 'journal'), clock, serverId: life };
  if (url === undefined) {
    const sqlite = await openSqlite(path.join(folder, 'spillway.db'));
    return openBudgetServer({ ...parts, ...sqlite, usage: createSqliteUsageStore(sqlite) });
  }
  const postgres = openPostgres(url);
  const shared = createSharedBudgetStore(postgres);
  return openBudgetServer({
    ...parts,
    ...postgres,
    usage: createPostgresUsageStore(postgres),
    shared,
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

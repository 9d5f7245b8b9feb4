// The load generator process: one set of connections per measured server, identified by its port. It only executes
// orders; side-by-side.ts decides which server is measured when.

import { z } from 'zod';
import { LoadPlan, LoadRun } from './load-order.ts';
import { LoadSet } from './load-set.ts';
import { serveOrders } from './serve-orders.ts';

const Which = z.object({ port: z.number().int() });

const sets = new Map<number, LoadSet>();

serveOrders({
  async open(args) {
    const plan = LoadPlan.parse(args);
    const set = sets.get(plan.port) ?? new LoadSet();
    sets.set(plan.port, set);
    await set.open(plan);
    await set.sendOne(plan.sendOneUntil);
  },
  async run(args) {
    const { port, seconds, spreadMs } = LoadRun.parse(args);
    await setOf(port).run(seconds, spreadMs);
  },
  report: (args) => setOf(Which.parse(args).port).takeReport(),
});

function setOf(port: number): LoadSet {
  const set = sets.get(port);
  if (!set) throw new Error(`No connections to port ${port} are open`);
  return set;
}

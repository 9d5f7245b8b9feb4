// Ends everything that was started in a folder of services and removes the folder. One function for both
// who need it: the process that started them, and the reaper when that process is no more. Signals by id
// only, and only what `membersOf` says is ours. Repeatable: a second call finds nothing to do.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { comesTrue, membersOf, sendSignal } from './process-table.ts';
import { releaseSharedMemory } from './shared-memory.ts';

/** How a root process is asked to end: at once for most, in order for one that has things to give back. */
export type Roots = ReadonlyMap<number, NodeJS.Signals>;

const ORDERLY_END_MS = 8_000;
const FORCED_END_MS = 20_000;

export async function tearDown(folder: string, roots: Roots): Promise<void> {
  const pids = [...roots.keys()];
  const orderly = pids.filter((pid) => roots.get(pid) !== 'SIGKILL');
  const forced = pids.filter((pid) => roots.get(pid) === 'SIGKILL');
  for (const { pid } of membersOf(forced)) sendSignal(pid, 'SIGKILL');
  for (const pid of orderly) sendSignal(pid, roots.get(pid) ?? 'SIGKILL');
  // A frozen server takes no signal but SIGKILL until it goes on.
  for (const { pid } of membersOf(orderly)) sendSignal(pid, 'SIGCONT');
  await comesTrue(() => membersOf(orderly).length === 0, ORDERLY_END_MS);
  await killMembers(pids, folder);
  releaseSharedMemory(join(folder, 'postgres', 'data'));
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** Parents before children, so that none is forked meanwhile; again until none is left. */
export async function killMembers(rootPids: readonly number[], folder: string): Promise<void> {
  const isGone = () => {
    const members = membersOf(rootPids, folder);
    members.sort((left, right) => rank(left.pid) - rank(right.pid));
    for (const { pid } of members) sendSignal(pid, 'SIGKILL');
    return members.length === 0;
  };
  const rank = (pid: number) => (rootPids.includes(pid) ? 0 : 1);
  if (await comesTrue(isGone, FORCED_END_MS)) return;
  const left = membersOf(rootPids, folder).map(({ pid, command }) => `${command} (${pid})`);
  throw new Error(`These processes did not end when killed: ${left.join(', ')}`);
}

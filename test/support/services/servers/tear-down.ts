// Ends everything that was started in a folder of services and removes the folder. One function for both
// who need it: the process that started them, and the reaper when that process is no more. Signals by id
// only, and only what `membersOf` says is ours. Repeatable: a second call finds nothing to do.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { releaseSharedMemory } from '../plans/shared-memory.ts';
import { comesTrue, membersOf, sendSignal } from './process-table.ts';

/** How a root process is asked to end: at once for most, in order for one that has things to give back. */
export type Roots = ReadonlyMap<number, NodeJS.Signals>;

const ORDERLY_END_MS = 8_000;
const FORCED_END_MS = 20_000;

export async function tearDown(folder: string, roots: Roots): Promise<void> {
  const pids = [...roots.keys()];
  const orderly = pids.filter((pid) => roots.get(pid) !== 'SIGKILL');
  for (const pid of orderly) sendSignal(pid, roots.get(pid) ?? 'SIGKILL');
  // A frozen server takes no signal but SIGKILL until it goes on.
  for (const { pid } of membersOf(orderly)) sendSignal(pid, 'SIGCONT');
  await killMembers(pids.filter((pid) => roots.get(pid) === 'SIGKILL'));
  await comesTrue(() => membersOf(orderly).length === 0, ORDERLY_END_MS);
  await killMembers(orderly, folder);
  releaseSharedMemory(join(folder, 'postgres', 'data'));
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/**
 * Parents before children, so that none is forked meanwhile, and again until none is left. Who was seen once
 * is remembered: with its parent gone, nothing else would show a dying child to be ours.
 */
export async function killMembers(rootPids: readonly number[], folder?: string): Promise<void> {
  const seen = new Set(rootPids);
  const findLiving = () => {
    const members = membersOf([...seen], folder);
    for (const { pid } of members) seen.add(pid);
    return members.sort((left, right) => rank(left.pid) - rank(right.pid));
  };
  const rank = (pid: number) => (rootPids.includes(pid) ? 0 : 1);
  const killLiving = () => {
    const living = findLiving();
    for (const { pid } of living) sendSignal(pid, 'SIGKILL');
    return living.length === 0;
  };
  if (await comesTrue(killLiving, FORCED_END_MS)) return;
  const left = findLiving().map(({ pid, command }) => `${command} (${pid})`);
  throw new Error(`These processes did not end when killed: ${left.join(', ')}`);
}

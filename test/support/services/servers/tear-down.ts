// Ends every process that was started in a services folder and removes the folder. Used by the process that
// started them and, after its death, by the reaper. Signals by id only, and only processes that `membersOf`
// returns. Idempotent.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { releaseSharedMemory } from '../plans/shared-memory.ts';
import { membersOf, sendSignal, waitUntil } from './process-table.ts';

/**
 * The signal that ends a root process: SIGKILL for most, an orderly one for a process with resources to
 * release.
 */
export type Roots = ReadonlyMap<number, NodeJS.Signals>;

const ORDERLY_END_MS = 8_000;
const FORCED_END_MS = 20_000;

export async function tearDown(folder: string, roots: Roots): Promise<void> {
  const pids = [...roots.keys()];
  const orderly = pids.filter((pid) => roots.get(pid) !== 'SIGKILL');
  for (const pid of orderly) sendSignal(pid, roots.get(pid) ?? 'SIGKILL');
  // A frozen server handles no signal except SIGKILL until it continues.
  for (const { pid } of membersOf(orderly)) sendSignal(pid, 'SIGCONT');
  await killMembers(pids.filter((pid) => roots.get(pid) === 'SIGKILL'));
  await waitUntil(() => membersOf(orderly).length === 0, ORDERLY_END_MS);
  await killMembers(orderly, folder);
  releaseSharedMemory(join(folder, 'postgres', 'data'));
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/**
 * Parents before children, so that none forks meanwhile, repeated until none is left. Seen processes are
 * remembered: after its parent's death, nothing else identifies a dying child.
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
  if (await waitUntil(killLiving, FORCED_END_MS)) return;
  const left = findLiving().map(({ pid, command }) => `${command} (${pid})`);
  throw new Error(`These processes did not end when killed: ${left.join(', ')}`);
}

// A worker or dispatcher is frozen with SIGSTOP during its work, long enough for other servers to take over its jobs, and then
// resumes. Its writes to those jobs must be rejected.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosRow } from '../chaos-row.ts';
import { untilServed } from '../faults/execute-kills.ts';
import { runJobsUnderFault } from '../faults/jobs-under-fault.ts';
import type { Arena, Installation } from '../installation/arena.ts';

/** Each freeze takes seconds; this number covers every step of a job. */
const MAX_ZOMBIES = 6;

export const row: ChaosRow = {
  name: 'zombie',
  title: 'processes frozen and resumed after other servers took over their work',
  order: 6,
  isInShort: false,
  run: (arena) =>
    runJobsUnderFault(arena, { inject: (installation) => freezeAndThaw(arena, installation) }),
};

async function freezeAndThaw(arena: Arena, { crew }: Installation): Promise<string[]> {
  const { dose, random, signal } = arena;
  const count = Math.min(dose.kills, MAX_ZOMBIES);
  const done: string[] = [];
  for (let time = 1; time <= count; time += 1) {
    await untilServed(arena, Math.round((dose.jobs * time) / (count + 1)));
    const [victim] = random.shuffled([...crew.workers, ...crew.dispatchers]);
    if (!victim) break;
    arena.progress(`${victim.name} is stopped`);
    victim.freeze();
    done.push(victim.name);
    await sleep(dose.zombieMs, undefined, { signal }).finally(() => victim.thaw());
  }
  return [`stopped for ${dose.zombieMs / 1_000} s: ${done.join(', ')}`];
}

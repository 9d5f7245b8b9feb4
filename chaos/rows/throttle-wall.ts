// The provider states that its limit is used up until a reset time while all jobs wait. They wait without using an
// attempt, no call reaches the provider before the reset, and afterwards they return at the limit's rate.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosRow } from '../chaos-row.ts';
import { untilServed } from '../faults/execute-kills.ts';
import { runJobsUnderFault } from '../faults/jobs-under-fault.ts';
import { usualScenario } from '../installation/arena.ts';

const WALL_SECONDS = { short: 10, full: 60 } as const;
/** Calls in flight at the first refusal may arrive within this time. */
const IN_FLIGHT_MS = 2_000;
/** All jobs are submitted long before the limit could serve them. */
const SUBMITTED_PER_SECOND = 200;

export const row: ChaosRow = {
  name: 'throttle-wall',
  title: 'the limit is used up until a stated reset while all jobs wait',
  order: 10,
  isInShort: false,
  async run(arena) {
    const { dose, provider, signal } = arena;
    const resetInSeconds = dose.isShort ? WALL_SECONDS.short : WALL_SECONDS.full;
    let wall = { from: 0, until: 0 };
    const finding = await runJobsUnderFault(arena, {
      load: { perSecond: SUBMITTED_PER_SECOND },
      async inject() {
        await untilServed(arena, Math.round(dose.jobs / 10));
        const from = Date.now();
        wall = { from: from + IN_FLIGHT_MS, until: from + resetInSeconds * 1_000 };
        await provider.play({ ...usualScenario(dose), fault: 'usage-limit', resetInSeconds });
        arena.progress('the limit is used up');
        await sleep(resetInSeconds * 1_000, undefined, { signal });
        return [`the limit was used up for ${resetInSeconds} s`];
      },
    });
    const calls = await provider.calls();
    const atTheWall = calls.filter(
      ({ startedAt }) => startedAt > wall.from && startedAt < wall.until,
    );
    return {
      ...finding,
      limitViolations: finding.limitViolations + atTheWall.length,
      notes: [...finding.notes, `${atTheWall.length} calls while the limit was known`],
    };
  },
};

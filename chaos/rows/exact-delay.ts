// Eight windows of messages wait on the raw queue at once, without a fault. Each message returns at its own due time:
// the provider's limit is used fully, never exceeded, and calls do not arrive in bursts.

import type { ChaosRow } from '../chaos-row.ts';
import { exactDelayDose } from '../faults/exact-delay-dose.ts';
import { runJobsUnderFault } from '../faults/jobs-under-fault.ts';
import { judgePace } from '../judge/judge-pace.ts';

/** All jobs are submitted long before the limit could serve them. */
const HURRY_PER_SECOND = 2_000;

export const row: ChaosRow = {
  name: 'exact-delay',
  title: 'all jobs wait for the limit and return at its rate',
  order: 13,
  isInShort: false,
  async run(arena) {
    const dose = exactDelayDose(arena.dose);
    const finding = await runJobsUnderFault(arena, {
      overrides: { dose },
      load: { perSecond: HURRY_PER_SECOND, isRaw: () => true },
      inject: async () => [],
    });
    const { notes, shortcomings } = judgePace(await arena.provider.calls(), dose);
    return { ...finding, notes: [...finding.notes, ...notes], shortcomings };
  },
};

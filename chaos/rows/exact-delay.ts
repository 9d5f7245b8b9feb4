// Eight windows' worth of messages are on the raw queue at once, and nothing is harmed: this row is about time. Each
// message comes back at its own moment, so that the provider's limit is used and never passed, and nobody comes as a herd.

import type { ChaosRow } from '../chaos-row.ts';
import { exactDelayDose } from '../faults/exact-delay-dose.ts';
import { harmJobs } from '../faults/harm-jobs.ts';
import { judgePace } from '../judge/judge-pace.ts';

/** All are handed in long before the limit could serve them. */
const HURRY_PER_SECOND = 2_000;

export const row: ChaosRow = {
  name: 'exact-delay',
  title: 'everybody waits for the limit, and comes back at the pace of it',
  order: 13,
  isInShort: false,
  async run(arena) {
    const dose = exactDelayDose(arena.dose);
    const finding = await harmJobs(arena, {
      wishes: { dose },
      load: { perSecond: HURRY_PER_SECOND, isRaw: () => true },
      harm: async () => [],
    });
    const { notes, shortcomings } = judgePace(await arena.provider.calls(), dose);
    return { ...finding, notes: [...finding.notes, ...notes], shortcomings };
  },
};

// The provider fails every call for a while under load. Jobs wait, circuits open and close, and every job succeeds
// after the outage; only a job that used up its attempts may become a dead letter, which the report notes.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosRow } from '../chaos-row.ts';
import { untilServed } from '../faults/execute-kills.ts';
import { runJobsUnderFault } from '../faults/jobs-under-fault.ts';
import { usualScenario } from '../installation/arena.ts';

const OUTAGE_MS = { short: 8_000, full: 60_000 } as const;

export const row: ChaosRow = {
  name: 'provider-outage',
  title: 'the provider fails every call for a while',
  order: 9,
  isInShort: false,
  run(arena) {
    const { dose, provider, signal } = arena;
    const outageMs = dose.isShort ? OUTAGE_MS.short : OUTAGE_MS.full;
    return runJobsUnderFault(arena, {
      mayBeDeadLetters: true,
      async inject() {
        await untilServed(arena, Math.round(dose.jobs / 3));
        arena.progress('the provider is out');
        await provider.play({ ...usualScenario(dose), fault: 'server-error', status: 503 });
        await sleep(outageMs, undefined, { signal });
        await provider.play(usualScenario(dose));
        return [`the provider was out for ${outageMs / 1_000} s`];
      },
    });
  },
};

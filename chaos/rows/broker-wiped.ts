// RabbitMQ is killed under load and restarts without its data: every message, queue and exchange is gone. All jobs in
// the store end. Messages that no consumer had taken are lost with the broker, so the row publishes raw messages first
// and wipes the broker once the store has them.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosRow } from '../chaos-row.ts';
import { untilServed } from '../faults/execute-kills.ts';
import { runJobsUnderFault } from '../faults/jobs-under-fault.ts';
import type { Arena, Installation } from '../installation/arena.ts';

const LOOK_EVERY_MS = 200;
const FROM_RAW_QUEUE = 0.3;

export const row: ChaosRow = {
  name: 'broker-wiped',
  title: 'the broker loses all of its data',
  order: 4,
  isInShort: true,
  run(arena) {
    const { jobs } = arena.dose;
    const rawJobs = Math.round(jobs * FROM_RAW_QUEUE);
    return runJobsUnderFault(arena, {
      load: { isRaw: (index) => index < rawJobs },
      areResultsPublished: false,
      async inject(installation) {
        await untilStored(arena, installation, rawJobs);
        await untilServed(arena, Math.round(jobs / 2));
        arena.progress('wiping the broker');
        await arena.engines.rabbitmq.wipe();
        return ['wiped RabbitMQ'];
      },
    });
  },
};

async function untilStored(
  { signal }: Arena,
  { store }: Installation,
  count: number,
): Promise<void> {
  for (;;) {
    const jobs = await store.jobs();
    if (jobs.filter(({ isFromQueue }) => isFromQueue).length >= count) return;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

// A process for a test to kill: a pipeline on embedded storage that submits jobs as fast as it can and runs them. It
// writes `ack <id>` when a job was accepted, and `drained` when no job is left. Arguments: data folder, number of the
// first job, count of jobs.

import path from 'node:path';
import { createDeadLetterStore } from '../../../src/adapters/sql/jobs/dead-letter-store.ts';
import { createJobHistory } from '../../../src/adapters/sql/jobs/job-history.ts';
import { createJobStore } from '../../../src/adapters/sql/jobs/job-store.ts';
import { createJobQueue } from '../../../src/adapters/sql/queue/job-queue.ts';
import { createQueueSignals } from '../../../src/adapters/sql/queue/queue-signals.ts';
import { releaseLeases } from '../../../src/adapters/sql/release-leases.ts';
import { lockFolder } from '../../../src/adapters/sqlite/folder-lock.ts';
import { openSqlite } from '../../../src/adapters/sqlite/open-sqlite.ts';
import { sleep, systemClock } from '../../../src/kernel/clock.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { createJobRig, success } from './job-rig.ts';

const [folder = '', first = '0', count = '0'] = process.argv.slice(2);
const lock = lockFolder(folder);
if (lock.kind !== 'locked') throw new Error(`the folder is ${lock.kind}`);

const sqlite = await openSqlite(path.join(folder, 'spillway.db'));
const { db, dialect } = sqlite;
await releaseLeases(db, Date.now());
const signals = createQueueSignals();
const queue = createJobQueue({ db, dialect, signals, clock: systemClock, log: silentLog, newId });
const store = createJobStore({ db, signals });
const rig = createJobRig({
  store,
  history: createJobHistory(db),
  deadLetters: createDeadLetterStore(db, signals),
  queue,
  clock: systemClock,
  pass: (ms) => sleep(systemClock, ms),
  close: () => sqlite.close(),
});

rig.run(async () => {
  await sleep(systemClock, Math.random() * 8);
  const dice = Math.random();
  const verdict = { code: 'RATE_LIMITED', params: {}, retryable: true } as const;
  if (dice < 0.15) return { kind: 'failed', verdict, delayUntil: Date.now() + 5 };
  if (dice < 0.2) return { kind: 'failed', verdict: { ...verdict, code: 'NETWORK_TIMEOUT' } };
  return success('done');
});

// The clock's timers do not keep the process alive; in a real server its sockets do.
const keepAlive = setInterval(() => {}, 60_000);
await rig.sweeper.sweep();
rig.startDispatcher();
rig.startWorker(4);
for (let number = Number(first); number < Number(first) + Number(count); number += 1) {
  const job = await rig.submit({ id: `job-${number}` });
  process.stdout.write(`ack ${job.publicId}\n`);
  await sleep(systemClock, 1);
}
for (;;) {
  const open = await Promise.all(
    (['queued', 'delayed', 'running'] as const).map((state) => store.list({ state, limit: 1 })),
  );
  if (open.flat().length === 0) break;
  await sleep(systemClock, 20);
}
await rig.close();
clearInterval(keepAlive);
process.stdout.write('drained\n');

// Kills a process again and again while it submits and runs jobs on one data folder. Afterwards the store must contain every
// acknowledged job, each ended and with one result.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openSqlite } from './open-sqlite.ts';

const KILLS = 10;
const JOBS_PER_LIFE = 200;
const CHILD = fileURLToPath(new URL('../../../test/contract/jobs/crash-child.ts', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'spillway-crash-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('every acknowledged job ends with one result, however often the process is killed', async () => {
  const acknowledged = new Set<string>();
  for (let life = 0; life < KILLS; life += 1) {
    const child = start(life * JOBS_PER_LIFE, JOBS_PER_LIFE);
    await killAfterSome(child, acknowledged, Math.ceil(Math.random() * 60));
  }
  await finish(start(0, 0), acknowledged);
  assert.ok(acknowledged.size >= KILLS);
  await assertAllEnded(acknowledged);
});

function start(first: number, count: number): ChildProcess {
  const args = [CHILD, folder, String(first), String(count)];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Kills the process after the given number of acknowledgements. */
async function killAfterSome(
  child: ChildProcess,
  acknowledged: Set<string>,
  lines: number,
): Promise<void> {
  const exited = once(child, 'exit');
  let left = lines;
  for await (const line of linesOf(child)) {
    acknowledged.add(line.replace('ack ', ''));
    left -= 1;
    if (left === 0) child.kill('SIGKILL');
  }
  await exited;
  assert.equal(child.signalCode, 'SIGKILL', 'the process ended before it was killed');
}

async function finish(child: ChildProcess, acknowledged: Set<string>): Promise<void> {
  const exited = once(child, 'exit');
  const output: string[] = [];
  for await (const line of linesOf(child)) output.push(line);
  await exited;
  assert.deepEqual(output, ['drained'], `${acknowledged.size} jobs were acknowledged`);
}

function linesOf(child: ChildProcess): AsyncIterable<string> {
  assert.ok(child.stdout);
  return createInterface({ input: child.stdout });
}

async function assertAllEnded(acknowledged: ReadonlySet<string>): Promise<void> {
  const { db, close } = await openForReading();
  const jobs = await db.selectFrom('jobs').selectAll().execute();
  const byId = new Map(jobs.map((job) => [job.public_id, job]));
  for (const id of acknowledged) assert.ok(byId.has(id), `${id} was acknowledged and lost`);
  const open = jobs.filter((job) => !['succeeded', 'failed'].includes(job.state));
  assert.deepEqual(open, []);
  const results = await db.selectFrom('job_results').select('job_id').execute();
  const succeeded = jobs.filter((job) => job.state === 'succeeded').map((job) => job.id);
  assert.deepEqual(results.map((row) => row.job_id).toSorted(), succeeded.toSorted());
  const letters = await db.selectFrom('dead_letters').select('job_id').execute();
  assert.equal(letters.length, jobs.length - succeeded.length);
  const unfinished = await db
    .selectFrom('job_attempts')
    .select('run')
    .where('finished_at', 'is', null)
    .execute();
  assert.deepEqual(unfinished, []);
  for (const job of jobs) {
    const events = await db
      .selectFrom('job_events')
      .select('sequence')
      .where('job_id', '=', job.id)
      .orderBy('sequence')
      .execute();
    assert.equal(Number(events.at(-1)?.sequence), events.length, 'events have no gaps');
  }
  await close();
}

async function openForReading() {
  const store = await openSqlite(path.join(folder, 'spillway.db'));
  return { db: store.db, close: () => store.close() };
}

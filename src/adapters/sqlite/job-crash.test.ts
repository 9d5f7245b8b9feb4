// Kills a real process again and again while it hands in and works off jobs on one data folder, and then asks the
// store: nothing that was acknowledged may be lost, each job has one result, and every one of them has ended.

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
const CHILD = fileURLToPath(new URL('../../../test/contract/crash-child.ts', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'spillway-crash-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('no acknowledged job is lost, and each has one result, however often the process is killed', async () => {
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

/** Kills it in the midst of whatever it does after so many acknowledgements. */
async function killAfterSome(
  child: ChildProcess,
  acknowledged: Set<string>,
  lines: number,
): Promise<void> {
  const gone = once(child, 'exit');
  let left = lines;
  for await (const line of linesOf(child)) {
    acknowledged.add(line.replace('ack ', ''));
    left -= 1;
    if (left === 0) child.kill('SIGKILL');
  }
  await gone;
  assert.equal(child.signalCode, 'SIGKILL', 'it ended before it was killed');
}

async function finish(child: ChildProcess, acknowledged: Set<string>): Promise<void> {
  const gone = once(child, 'exit');
  const said: string[] = [];
  for await (const line of linesOf(child)) said.push(line);
  await gone;
  assert.deepEqual(said, ['drained'], `${acknowledged.size} jobs were to be worked off`);
}

function linesOf(child: ChildProcess): AsyncIterable<string> {
  assert.ok(child.stdout);
  return createInterface({ input: child.stdout });
}

async function assertAllEnded(acknowledged: ReadonlySet<string>): Promise<void> {
  const { db, close } = await openForReading();
  const jobs = await db.selectFrom('jobs').selectAll().execute();
  const byId = new Map(jobs.map((job) => [job.public_id, job]));
  for (const id of acknowledged) assert.ok(byId.has(id), `${id} was acknowledged and is lost`);
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

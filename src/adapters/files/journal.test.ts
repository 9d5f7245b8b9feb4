import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { append, drain, journalContract } from '../../../test/contract/journal.ts';
import { makeTempFolder, tempFolder } from '../../../test/support/temp-folder.ts';
import { createTestClock, type TestClock } from '../../../test/support/test-clock.ts';
import type { Journal } from '../../metering/usage/journal.ts';
import { openFileJournal } from './journal.ts';

for (const segmentBytes of [1, 40, undefined])
  journalContract(`files, segments of ${segmentBytes ?? 'default'} bytes`, () => {
    const folder = makeTempFolder();
    return {
      open: () => open(folder, segmentBytes).journal,
      remove: () => rmSync(folder, { recursive: true, force: true }),
    };
  });

type Opened = { journal: Journal<string>; clock: TestClock; changes: boolean[] };

function open(folder: string, segmentBytes?: number): Opened {
  const clock = createTestClock();
  const changes: boolean[] = [];
  const journal = openFileJournal<string>({
    folder,
    clock,
    encode: (record) => JSON.stringify(record),
    decode,
    onWritableChange: (isWritable) => void changes.push(isWritable),
    ...(segmentBytes === undefined ? {} : { segmentBytes }),
  });
  return { journal, clock, changes };
}

function decode(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function files(folder: string): string[] {
  return readdirSync(folder).sort();
}

function onDisk(folder: string): string {
  return files(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
}

test('a record is in the file when its callback runs', async (context) => {
  const folder = tempFolder(context);
  const { journal } = open(folder);
  const seen: string[] = [];
  await new Promise<void>((resolve) => {
    journal.append('one', () => {
      seen.push(onDisk(folder));
      resolve();
    });
    assert.deepEqual(seen, []);
    assert.equal(onDisk(folder), '');
  });
  assert.deepEqual(seen, ['"one"\n']);
});

test('the records of one turn share one write, and their callbacks run in order', async (context) => {
  const folder = tempFolder(context);
  const { journal } = open(folder);
  const order: string[] = [];
  const fileAtFirst = await new Promise<string>((resolve) => {
    for (const name of ['a', 'b', 'c']) {
      journal.append(name, () => {
        order.push(name);
        if (name === 'a') resolve(onDisk(folder));
      });
    }
  });
  assert.equal(fileAtFirst, '"a"\n"b"\n"c"\n');
  assert.deepEqual(order, ['a', 'b', 'c']);
  assert.deepEqual(journal.oldest(10), ['a', 'b', 'c']);
});

test('a torn last line is skipped', async (context) => {
  const folder = tempFolder(context);
  await append(open(folder).journal, 'whole');
  const [name = ''] = files(folder);
  appendFileSync(join(folder, name), '"tor');
  const { journal } = open(folder);
  await append(journal, 'new');
  assert.deepEqual(drain(journal), ['whole', 'new']);
});

test('files other than segments stay unchanged', async (context) => {
  const folder = tempFolder(context);
  appendFileSync(join(folder, 'note.txt'), '"not a record"\n');
  const { journal } = open(folder);
  assert.deepEqual(drain(journal), []);
  await journal.close();
  assert.deepEqual(files(folder), ['note.txt']);
});

test('a full segment is followed by the next, and all are read in order', async (context) => {
  const folder = tempFolder(context);
  const { journal } = open(folder, 1);
  for (const name of ['a', 'b', 'c', 'd']) await append(journal, name);
  await nextTurn();
  assert.equal(files(folder).length, 5);
  assert.deepEqual(drain(journal), ['a', 'b', 'c', 'd']);
  assert.equal(files(folder).length, 1);
  assert.equal(journal.backlog(), 0);
});

test('segments are readable by their owner alone', {
  skip: process.platform === 'win32',
}, (context) => {
  const folder = join(tempFolder(context), 'journal');
  open(folder);
  const [name = ''] = files(folder);
  assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
});

test('a drained journal deletes its file at the close, which is idempotent', async (context) => {
  const folder = tempFolder(context);
  const { journal, clock } = open(folder);
  await append(journal, 'a', 'b');
  assert.deepEqual(drain(journal), ['a', 'b']);
  await journal.close();
  await journal.close();
  assert.deepEqual(files(folder), []);
  assert.equal(clock.pendingTimers(), 0);
});

test('a large segment is truncated once the store has all its records', async (context) => {
  const folder = tempFolder(context);
  const { journal } = open(folder);
  await append(journal, 'x'.repeat(300_000));
  assert.equal(drain(journal).length, 1);
  assert.equal(onDisk(folder), '');
  await append(journal, 'after');
  assert.equal(onDisk(folder), '"after"\n');
});

const canLimitFiles = process.platform === 'linux' && hasPrlimit();

test('a disk that rejects writes is reported, blocks no caller, and loses no record when it recovers', {
  skip: !canLimitFiles,
}, async (context) => {
  const folder = tempFolder(context);
  const { journal, clock, changes } = open(folder);
  context.after(() => limitFiles('unlimited'));
  await append(journal, 'before');
  limitFiles('20');
  await append(journal, 'torn-in-the-middle', 'not written');
  assert.equal(journal.isWritable(), false);
  assert.deepEqual(journal.oldest(10), ['before', 'torn-in-the-middle', 'not written']);
  await clock.advance(1000);
  assert.equal(journal.isWritable(), false);
  await append(journal, 'later');
  limitFiles('unlimited');
  await clock.advance(1000);
  assert.equal(journal.isWritable(), true);
  assert.deepEqual(changes, [false, true]);
  // As after a crash: the half-written line is skipped, every other record is read.
  const found = new Set(drain(open(folder).journal));
  assert.deepEqual([...found], ['before', 'torn-in-the-middle', 'not written', 'later']);
});

test('closing retries a write that a full disk rejected', {
  skip: !canLimitFiles,
}, async (context) => {
  const folder = tempFolder(context);
  const { journal, clock } = open(folder);
  context.after(() => limitFiles('unlimited'));
  limitFiles('0');
  await append(journal, 'refused');
  assert.equal(journal.isWritable(), false);
  limitFiles('unlimited');
  await journal.close();
  assert.equal(clock.pendingTimers(), 0);
  assert.deepEqual(drain(open(folder).journal), ['refused']);
});

test('if a new segment cannot be created the old one stays in use', async (context) => {
  const folder = tempFolder(context);
  const { journal } = open(folder, 10);
  await append(journal, 'a');
  // The folder is deleted: no file can be created in it, but the open one can be written.
  rmSync(folder, { recursive: true });
  await append(journal, 'long enough to be full', 'b');
  await append(journal, 'c');
  assert.deepEqual(journal.oldest(10), ['a', 'long enough to be full', 'b', 'c']);
});

test('a process killed while appending loses no acknowledged record', async (context) => {
  const folder = tempFolder(context);
  const acknowledged: string[] = [];
  for (let life = 0; life < 3; life += 1) {
    const child = spawn(
      process.execPath,
      ['--input-type=module-typescript', '-e', CHILD, folder, String(life)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        cwd: import.meta.dirname,
      },
    );
    const gone = once(child, 'exit');
    let left = 40;
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(line);
      left -= 1;
      if (left === 0) child.kill('SIGKILL');
    }
    await gone;
    assert.equal(child.signalCode, 'SIGKILL');
  }
  const kept = drain(open(folder).journal, 50);
  const found = new Set(kept);
  assert.ok(acknowledged.length >= 120);
  assert.deepEqual(
    acknowledged.filter((record) => !found.has(record)),
    [],
  );
  assert.equal(found.size, kept.length);
});

const CHILD = `
import { writeSync } from 'node:fs';
import { openFileJournal } from ${JSON.stringify(new URL('./journal.ts', import.meta.url).href)};
import { systemClock } from ${JSON.stringify(new URL('../../kernel/clock.ts', import.meta.url).href)};
const [folder, life] = process.argv.slice(-2);
const journal = openFileJournal({
  folder, clock: systemClock, segmentBytes: 300, encode: JSON.stringify, decode: JSON.parse,
  onWritableChange() {},
});
let number = 0;
function next() {
  const record = life + '.' + number++;
  journal.append(record, () => { writeSync(1, record + '\\n'); next(); });
}
for (let lane = 0; lane < 5; lane += 1) next();
`;

function hasPrlimit(): boolean {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Limits the file size of this process: larger writes fail, as on a full disk. */
function limitFiles(bytes: string): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

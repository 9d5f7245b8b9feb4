import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { createLineWriter } from './line-writer.ts';

test('a flush writes the gathered lines in order before its callback', (context) => {
  const { file, fd } = openFile(tempFolder(context));
  const writer = createLineWriter(fd);
  writer.write('one\n');
  writer.write('two ü\n');
  assert.equal(readFileSync(file, 'utf8'), '');
  let isDone = false;
  writer.flush(() => {
    isDone = true;
  });
  assert.equal(isDone, true);
  assert.equal(readFileSync(file, 'utf8'), 'one\ntwo ü\n');
  closeSync(fd);
});

test('a flush without lines runs its callback', (context) => {
  const { file, fd } = openFile(tempFolder(context));
  let calls = 0;
  createLineWriter(fd).flush(() => {
    calls += 1;
  });
  assert.equal(calls, 1);
  assert.equal(readFileSync(file, 'utf8'), '');
  closeSync(fd);
});

test('a line longer than a buffer is written whole between its neighbours', (context) => {
  const { file, fd } = openFile(tempFolder(context));
  const writer = createLineWriter(fd);
  const long = 'ü'.repeat(100_000);
  for (const line of ['before', long, 'after']) writer.write(`${line}\n`);
  return new Promise<void>((resolve) => {
    writer.flush(() => {
      assert.equal(readFileSync(file, 'utf8'), `before\n${long}\nafter\n`);
      closeSync(fd);
      resolve();
    });
  });
});

test('a closed descriptor loses lines and throws nothing', (context) => {
  const { fd } = openFile(tempFolder(context));
  closeSync(fd);
  const writer = createLineWriter(fd);
  writer.write('lost line\n');
  let isDone = false;
  writer.flush(() => {
    isDone = true;
  });
  assert.equal(isDone, true);
});

test('many lines arrive through a pipe, complete and in order', () => {
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program(20_000)], {
    maxBuffer: 64 * 1024 * 1024,
    encoding: 'utf8',
    timeout: 30_000,
  });
  const lines = stdout.trimEnd().split('\n');
  assert.equal(lines.length, 20_000);
  assert.deepEqual(
    lines.findIndex((line, index) => !line.startsWith(`${index} `)),
    -1,
  );
});

test('a reader that stopped reading does not block the end of the process', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program(200)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.destroy();
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
});

/** A program that writes the lines over several turns and flushes at the end. */
function program(lines: number): string {
  return `import { createLineWriter } from ${JSON.stringify(new URL('./line-writer.ts', import.meta.url).href)};
const writer = createLineWriter(1);
let number = 0;
function some() {
  for (let left = 500; left > 0 && number < ${lines}; left -= 1) writer.write(number++ + ' ' + 'x'.repeat(80) + '\\n');
  if (number < ${lines}) setTimeout(some, 1);
  else writer.flush(() => {});
}
some();`;
}

function openFile(folder: string): { file: string; fd: number } {
  const file = join(folder, 'lines');
  return { file, fd: openSync(file, 'a') };
}

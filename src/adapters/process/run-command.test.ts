import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { runCommand } from './run-command.ts';

const never = new AbortController().signal;

test('the program gets its arguments without a shell, and the input', async (context) => {
  const folder = makeTempFolder();
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'a; touch b');
  const script = `require('fs').writeFileSync(process.argv[1], require('fs').readFileSync(0))`;
  const command = [process.execPath, '-e', script, file];
  await runCommand({ command, input: '{"x":1}', timeoutMs: 20_000, signal: never });
  assert.equal(readFileSync(file, 'utf8'), '{"x":1}');
});

test('a failed program rejects with its code and the end of its errors', async () => {
  const command = [process.execPath, '-e', `console.error('no quota'); process.exit(3)`];
  await assert.rejects(
    runCommand({ command, input: '', timeoutMs: 20_000, signal: never }),
    /exited with code 3: no quota/,
  );
});

test('a program that does not exist rejects', async () => {
  const command = ['/does/not/exist'];
  await assert.rejects(
    runCommand({ command, input: 'x', timeoutMs: 1000, signal: never }),
    /ENOENT/,
  );
});

test('a program that does not end is ended when the signal aborts', async () => {
  const command = [process.execPath, '-e', 'setInterval(() => {}, 1000)'];
  const closing = new AbortController();
  const run = runCommand({ command, input: '', timeoutMs: 60_000, signal: closing.signal });
  closing.abort();
  await assert.rejects(run, { name: 'AbortError' });
});

// SECURITY.md names the file of every promise and every bound; the files exist.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const text = read('SECURITY.md');
const files = [...text.matchAll(/`((?:src|test)\/[^`]+)`/g)].map(([, file = '']) => file);

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

test('every file that SECURITY.md names exists', () => {
  assert.ok(files.length > 20);
  assert.deepEqual(
    files.filter((file) => !existsSync(join(root, file))),
    [],
  );
});

test('every file of a bounded table states its bound', () => {
  const bounds = text.slice(text.indexOf('## Bounds'), text.indexOf('## What it does not do'));
  const named = [...bounds.matchAll(/`(src\/[^`]+)`/g)].map(([, file = '']) => file);
  assert.ok(named.length > 25);
  assert.deepEqual(
    named.filter((file) => !/MAX_|REMEMBERED|CACHED|maxBytes|limits\.|maxRecords/.test(read(file))),
    [],
  );
});

test('every promise names a test', () => {
  const promises = text.slice(text.indexOf('## Promises'), text.indexOf('## Bounds'));
  const rows = promises.split('\n').filter((line) => /^\| [A-Z]/.test(line));
  assert.ok(rows.length > 10);
  for (const row of rows) assert.match(row, /`[^`]+\.test\.ts`/, row);
});

// A setting that no code reads misleads its operator. This test searches the sources as text for a reader of each
// setting; it needs no build.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { SETTINGS } from './settings.ts';

const root = resolve(import.meta.dirname, '../../..');

test('every setting has a reader', () => {
  const code = globSync('src/**/*.ts', { cwd: root }).filter(canRead).map(read).join('\n');
  const unread = Object.entries(SETTINGS).flatMap(([section, rows]) =>
    Object.keys(rows)
      .filter((key) => !isRead(code, section, key))
      .map((key) => `${section}.${key}`),
  );
  assert.deepEqual(unread, []);
});

/** The loader resolves some settings itself; the schema and the documents only describe them. */
function canRead(file: string): boolean {
  if (file.endsWith('.test.ts')) return false;
  return !file.startsWith('src/config/') || file === 'src/config/load-config.ts';
}

function read(file: string): string {
  const text = readFileSync(join(root, file), 'utf8');
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '');
}

function isRead(code: string, section: string, key: string): boolean {
  const isAccessed = new RegExp(`\\b${section}\\.${key}\\b`).test(code);
  const isDestructured = new RegExp(`\\{[^{}]*\\b${key}\\b[^{}]*\\} = [\\w.]*\\b${section}\\b`);
  return isAccessed || isDestructured.test(code) || isReadFromWholeSection(code, section, key);
}

/**
 * A function that receives a whole section names the keys in its parameter type. Two-letter keys are too common to
 * search for.
 */
function isReadFromWholeSection(code: string, section: string, key: string): boolean {
  if (key.length < 3 || !new RegExp(`config\\.${section}\\b(?!\\.)`).test(code)) return false;
  return new RegExp(`\\b${key}\\b`).test(code);
}

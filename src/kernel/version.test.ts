import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { VERSION } from './version.ts';

test('the version equals the one in package.json', () => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const about: unknown = JSON.parse(text);
  assert.ok(typeof about === 'object' && about !== null && 'version' in about);
  assert.equal(VERSION, about.version);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createModelLabel } from './model-label.ts';

const KNOWN = new Set(['claude-sonnet-5', 'gpt-5-mini', 'my.model@home']);

test('a known model is its own label, and any other name is labelled other', () => {
  const label = createModelLabel(KNOWN);
  for (const name of KNOWN) assert.equal(label(name), name);
  for (const name of ['gpt-5-mini-junk-1', 'claude', '', '-5', 'x'.repeat(300), 'claude-sonnet-5x'])
    assert.equal(label(name), 'other', name);
});

test('a version of a known model is its own label', () => {
  const label = createModelLabel(KNOWN);
  for (const name of [
    'claude-sonnet-5-5',
    'claude-sonnet-5-20250929',
    'claude-sonnet-5@20250929',
    'gpt-5-mini-2025-08-07',
    'gpt-5-mini-latest',
  ])
    assert.equal(label(name), name);
});

test('invented versions share the label other beyond a bound, and known models keep theirs', () => {
  const label = createModelLabel(KNOWN);
  const labels = new Set(Array.from({ length: 5000 }, (_, at) => label(`gpt-5-mini-${at}`)));
  assert.ok(labels.size <= 101, `${labels.size} labels`);
  assert.ok(labels.has('other'));
  assert.equal(label('gpt-5-mini'), 'gpt-5-mini');
});

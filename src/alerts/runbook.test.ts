import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { ALERT_NAMES } from '../kernel/notify/alert-name.ts';
import { metricOf } from './alert-rules.ts';
import { endText, runbookOf, startText } from './alert-text.ts';

const root = resolve(import.meta.dirname, '../..');

test('every alert has a section in the runbook, and its message names it', () => {
  const text = readFileSync(join(root, 'docs/runbook.md'), 'utf8');
  for (const name of ALERT_NAMES) {
    assert.match(text, new RegExp(`^## ${name}$`, 'm'));
    const facts = { name, subject: 'subject', value: 0.5, threshold: 0.1 };
    assert.ok(startText(facts).endsWith(`See ${runbookOf(name)}.`));
    assert.match(
      endText({ name, subject: undefined, startedAt: 0 }, 90_000),
      /^Ended after 90 s: /,
    );
    assert.match(metricOf(name), /^[a-z][a-z0-9_.]+$/);
  }
});

test('a sentence has its numbers in readable units', () => {
  const facts = { subject: undefined, threshold: 0.1 };
  assert.match(startText({ ...facts, name: 'error-rate', value: 0.123 }), /^12\.3 % of requests/);
  assert.match(
    startText({ ...facts, name: 'cost-per-request', value: 0.256 }),
    /\$0\.26 on average/,
  );
  assert.match(
    startText({ ...facts, name: 'oldest-waiting-job', value: 780, threshold: 600 }),
    /waited 13 min beyond its due time, more than 10 min/,
  );
});

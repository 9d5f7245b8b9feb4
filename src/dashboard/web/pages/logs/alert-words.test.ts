import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alert } from '../../../api/logs.ts';
import { alertFigure, alertStateWord, alertTitle } from './alert-words.ts';

const alert: Alert = {
  id: '1',
  name: 'error-rate',
  metric: 'ai.error.rate',
  state: 'firing',
  severity: 'critical',
  message: '',
  value: 0.12,
  threshold: 0.05,
  startedAt: 0,
  endedAt: null,
  serverId: 'a',
};

test('a figure is shown in the unit of its metric', () => {
  assert.equal(alertFigure(alert), '12 %, fires above 5 %');
  assert.equal(
    alertFigure({ ...alert, metric: 'ai.latency.p99', value: 12.5, threshold: 10 }),
    '12 s, fires above 10 s',
  );
  assert.equal(
    alertFigure({ ...alert, metric: 'jobs.dead_letters', value: 3, threshold: 0 }),
    '3, fires above 0',
  );
});

test('a figure states on which side of its threshold the alert fires', () => {
  const servers = { ...alert, name: 'no-server', metric: 'servers.available' };
  assert.equal(alertFigure({ ...servers, value: 0, threshold: 1 }), '0, fires below 1');
  const budget = { ...alert, name: 'budget-usage', metric: 'ai.budget.usage' };
  assert.equal(alertFigure({ ...budget, value: 1.35, threshold: 0.9 }), '135 %, fires from 90 %');
});

test('a title names the alert and its subject', () => {
  assert.equal(alertTitle(alert), 'Error rate');
  assert.equal(
    alertTitle({ name: 'circuit-open', subject: 'anthropic us' }),
    'Circuit open: anthropic us',
  );
  assert.equal(alertStateWord(alert), 'fires');
});

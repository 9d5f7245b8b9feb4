import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Facts } from './facts.ts';
import { overallState } from './overall-state.ts';
import { writeFindings } from './write-findings.ts';

const NOW = Date.UTC(2026, 2, 1, 14);

const QUIET: Facts = {
  now: NOW,
  limits: [],
  circuits: [],
  capacity: [],
  servers: [],
  dependencies: [{ name: 'store', status: 'up' }],
  queues: [],
  deadLetters: 0,
  alerts: [],
  budgets: [],
  recent: undefined,
};

const QUEUE = {
  queue: 'anthropic-analysis-queue',
  provider: 'anthropic',
  ready: 30,
  delayed: 7,
  running: 0,
  oldestAt: NOW - 1000,
  nextDueAt: null,
};

const LIMIT = {
  provider: 'anthropic',
  region: 'us-east',
  model: null,
  resetAt: NOW + 1_200_000,
  setBy: 'srv-1',
  setAt: NOW - 60_000,
  kind: 'learnt',
  requestId: null,
} as const;

const RECENT = {
  requests: 100,
  errors: 12,
  errorsByCode: { AI_LIMIT_REACHED: 10, INTERNAL: 2 },
  errorRatio: 0.12,
  latencyMs: { p50: 1, p95: 1, p99: 1 },
  costPerRequestUsd: 0,
  rateLimited: 0,
  retries: 0,
  spanMs: 300_000,
};

test('without a finding the sentence says that everything is fine, and every page is good', () => {
  const state = overallState(QUIET, writeFindings(QUIET));
  assert.equal(state.sentence, 'Everything is fine.');
  assert.ok(Object.values(state.pages).every((status) => status === 'good'));
});

test('a limit is named with its end, and waiting jobs are counted', () => {
  const facts = { ...QUIET, limits: [LIMIT], queues: [QUEUE] };
  const findings = writeFindings(facts);
  assert.deepEqual(
    findings.map(({ id, since, until, page }) => [id, since, until, page]),
    [['limit:anthropic/us-east', NOW - 60_000, NOW + 1_200_000, 'capacity']],
  );
  const state = overallState(facts, findings);
  assert.equal(
    state.sentence,
    'Anthropic us-east is limited until 14:20 UTC; 37 jobs wait; everything else is fine.',
  );
  assert.equal(state.pages.capacity, 'degraded');
  assert.equal(state.pages.jobs, 'good');
});

test('a throttle of a few seconds is no finding', () => {
  const throttle = { ...LIMIT, kind: 'throttled', resetAt: NOW + 5000 } as const;
  assert.deepEqual(writeFindings({ ...QUIET, limits: [throttle] }), []);
});

test('a part that cannot be read makes its page unknown, not good', () => {
  const facts: Facts = { ...QUIET, queues: undefined, budgets: undefined };
  const { pages } = overallState(facts, writeFindings(facts));
  assert.deepEqual([pages.jobs, pages.money, pages.capacity], ['unknown', 'unknown', 'good']);
});

test('the most severe finding is first, and a down dependency is bad', () => {
  const facts: Facts = {
    ...QUIET,
    deadLetters: 3,
    dependencies: [{ name: 'store', status: 'down' }],
  };
  const findings = writeFindings(facts);
  assert.deepEqual(
    findings.map(({ id, severity }) => [id, severity]),
    [
      ['dependency:store', 'bad'],
      ['dead-letters', 'degraded'],
    ],
  );
  assert.equal(overallState(facts, findings).status, 'bad');
});

test('a queue is a finding if its oldest job has waited longer than five minutes', () => {
  const slow = { ...QUEUE, oldestAt: NOW - 400_000 };
  const [finding] = writeFindings({ ...QUIET, queues: [slow] });
  assert.equal(finding?.message, '30 jobs for anthropic wait longer than five minutes');
});

test('an error rate above 5 % of enough requests names the most frequent code', () => {
  const recent = RECENT;
  const [finding] = writeFindings({ ...QUIET, recent });
  assert.equal(finding?.message, '12 % of requests fail, most of them with AI_LIMIT_REACHED');
  assert.deepEqual(writeFindings({ ...QUIET, recent: { ...recent, requests: 10 } }), []);
});

test('hostile names stay text, and reach the query of a page encoded', () => {
  const name = '<script>alert(1)</script>&x=1';
  const spend = {
    organizationId: 'acme',
    name,
    monthlyBudgetUsd: 1,
    spentUsd: 1,
    reservedUsd: 0,
    usedRatio: 1,
    forecastExhaustedAt: NOW,
    resetAt: NOW + 1,
    status: 'bad',
  } as const;
  const limit = { ...LIMIT, provider: name };
  const findings = writeFindings({ ...QUIET, budgets: [spend], limits: [limit] });
  assert.ok(findings.some(({ message }) => message.includes(name)));
  assert.ok(findings.every(({ pageQuery }) => !/[<>]/.test(pageQuery)));
});

test('an alert about a named problem adds its section of the runbook instead of a finding', () => {
  const alert = { id: 'a', severity: 'critical', startedAt: NOW } as const;
  const message = 'The circuit of anthropic us-east is open: no call is sent there.';
  const facts: Facts = {
    ...QUIET,
    deadLetters: 2,
    limits: [LIMIT],
    alerts: [
      { ...alert, name: 'dead-letters', message: '2 jobs or messages are dead letters.' },
      { ...alert, name: 'circuit-open', message },
      { ...alert, name: 'circuit-open', message: message.replace('us-east', 'us-east-2') },
    ],
  };
  const findings = writeFindings(facts);
  assert.deepEqual(
    findings.map(({ kind }) => kind),
    ['alert', 'limit', 'dead-letters'],
  );
  assert.match(findings[1]?.action ?? '', /docs\/runbook\.md#circuit-open\.$/);
  assert.match(findings[2]?.action ?? '', /docs\/runbook\.md#dead-letters\.$/);
  assert.equal(overallState(facts, findings).pages.logs, 'bad');
});

test('the page of a finding understands its query', () => {
  const recent = { ...RECENT, errorRatio: 0.5 };
  const findings = writeFindings({ ...QUIET, deadLetters: 1, recent });
  assert.deepEqual(
    findings.map(({ page, pageQuery }) => `${page}?${pageQuery}`),
    ['logs?tab=requests&code=AI_LIMIT_REACHED', 'jobs?tab=dead'],
  );
});

test('jobs that a finding counts are not counted again in the sentence', () => {
  const facts = { ...QUIET, queues: [{ ...QUEUE, oldestAt: NOW - 400_000 }] };
  assert.equal(
    overallState(facts, writeFindings(facts)).sentence,
    '30 jobs for anthropic wait longer than five minutes; everything else is fine.',
  );
});

// docs/metrics.md, the Grafana dashboard and the Prometheus rules name the metrics that a gateway registers, and a scrape is
// valid by Prometheus' own tool, where it is installed, and by a strict reading of the text format.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { metricName } from '../src/http/prometheus.ts';
import type { Metric } from '../src/kernel/metrics.ts';
import { ask, chatAsk } from './support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from './support/gateway/test-gateway.ts';
import { readExposition } from './support/telemetry/exposition.ts';
import { registeredMetrics, renderTable, withTable } from './support/telemetry/metrics-page.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const promtool = spawnSync('promtool', ['--version']).status === 0;

/** Names in expressions that are Prometheus' own. */
const PROMETHEUS_WORDS: ReadonlySet<string> = new Set(
  'sum rate max min by le increase histogram_quantile on unless absent or up min_over_time'.split(
    ' ',
  ),
);

suite('the metrics', () => {
  let metrics: readonly Metric[];
  let names: ReadonlySet<string>;
  let labels: ReadonlySet<string>;

  before(async () => {
    metrics = await registeredMetrics();
    names = new Set(metrics.flatMap(seriesNames));
    labels = new Set(metrics.flatMap(({ labelNames }) => labelNames.map(plain)));
  });

  test('docs/metrics.md lists every metric as it is registered', () => {
    const page = read('docs/metrics.md');
    assert.equal(page, withTable(page, renderTable(metrics)));
  });

  test('every name that the specification demands is registered', () => {
    const checks = (tier: string, outcomes: string): string[] =>
      outcomes.split(' ').map((outcome) => `${tier}.ratelimit.${outcome}`);
    const demanded = [
      'ai.error.rate',
      'ai.error.count',
      'ai.circuit_breaker.open',
      'ai.rate_limit.exceeded',
      'ai.budget.usage',
      'ai.latency',
      'ai.cost.per_request',
      ...checks('dispatcher', 'checked allowed delayed delay_ms'),
      ...checks('worker', 'checked allowed blocked requeued'),
      'dispatcher.provider.rpm',
      'dispatcher.queue.delayed.depth',
      'worker.provider.rpm',
      'worker.processing.success',
      'worker.processing.failed',
      'gen_ai.client.token.usage',
      'gen_ai.client.operation.duration',
    ];
    const known = new Set(metrics.map(({ name }) => name));
    assert.deepEqual(
      demanded.filter((name) => !known.has(name)),
      [],
    );
  });

  test('every HELP text is a sentence', () => {
    for (const { name, help } of metrics) assert.match(help, /^[A-Z0-9].*\.$/, name);
  });

  test('the Grafana dashboard uses registered metrics and labels alone', () => {
    const expressions = grafanaExpressions();
    assert.ok(expressions.length > 40);
    for (const expression of expressions) assertKnown(expression);
  });

  test('the Prometheus rules use registered metrics and labels alone', () => {
    for (const { expr } of alertRules()) assertKnown(expr);
  });

  test('every Prometheus rule names a section of the documents', () => {
    for (const { alert, annotations } of alertRules()) {
      const [page = '', section = ''] = annotations.runbook.split('#');
      const headings = [...read(page).matchAll(/^##+ (.+)$/gm)].map(([, text = '']) => text);
      const anchors = headings.map((text) => text.toLowerCase().replaceAll(' ', '-'));
      assert.ok(anchors.includes(section), `${alert}: ${section}`);
    }
  });

  test('promtool accepts the rules and the scrape', { skip: !promtool && 'no promtool' }, () => {
    const folder = join(root, 'deploy/prometheus');
    for (const args of [
      ['check', 'rules', join(folder, 'alerts.yml')],
      ['check', 'config', '--syntax-only', join(folder, 'prometheus.yml')],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
      assert.equal(status, 0, stdout + stderr);
    }
  });

  function assertKnown(expression: string): void {
    const words = expression
      .replaceAll(/"[^"]*"|\[[^\]]*\]|\$\w+/g, ' ')
      .matchAll(/[a-zA-Z_][a-zA-Z0-9_]*/g);
    for (const [word] of words) {
      const isKnown = names.has(word) || labels.has(word) || PROMETHEUS_WORDS.has(word);
      assert.ok(isKnown || ['instance', 'job'].includes(word), `${word} in ${expression}`);
    }
  }
});

suite('a scrape', () => {
  let gateway: TestGateway;
  let text: string;

  before(async () => {
    gateway = await startTestGateway();
    await ask(gateway);
    await ask(gateway, { stream: true });
    await ask(gateway, chatAsk({ model: 'a "quoted"\nmodel\\' }));
    gateway.simulator.setScenario({ preset: 'overloaded', times: 1 });
    await ask(gateway);
    const headers = { authorization: `Bearer ${gateway.adminKey}` };
    text = await (await fetch(`${gateway.url}/metrics`, { headers })).text();
  });
  after(() => gateway.close());

  test('is valid by the text format of Prometheus', () => {
    const families = readExposition(text);
    assert.ok(families.size > 40);
    assert.ok((families.get('ai_request_count_total')?.samples.length ?? 0) >= 2);
  });

  test('is valid by promtool', { skip: !promtool && 'no promtool' }, () => {
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: text,
      encoding: 'utf8',
    });
    // promtool advises base units and names; only its errors concern the format.
    assert.equal(stderr.includes('error while linting'), false, stderr);
    assert.ok(status === 0 || status === 3, stderr);
  });
});

function plain(name: string): string {
  return name.replaceAll('.', '_');
}

function seriesNames(metric: Metric): readonly string[] {
  const name = metricName(metric);
  if (metric.kind !== 'histogram') return [name];
  return ['_bucket', '_sum', '_count'].map((suffix) => name + suffix);
}

const Dashboard = z.object({
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).optional() })),
  annotations: z.object({ list: z.array(z.object({ expr: z.string() })) }),
});

function grafanaExpressions(): readonly string[] {
  const { panels, annotations } = Dashboard.parse(JSON.parse(read('deploy/grafana/spillway.json')));
  return [...panels.flatMap(({ targets = [] }) => targets), ...annotations.list].map(
    ({ expr }) => expr,
  );
}

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          annotations: z.object({ runbook: z.string() }),
        }),
      ),
    }),
  ),
});

function alertRules() {
  return Rules.parse(parse(read('deploy/prometheus/alerts.yml'))).groups.flatMap(
    ({ rules }) => rules,
  );
}

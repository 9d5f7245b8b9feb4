// Metrics and traces over OTLP, of one process: a trace continues the caller's, every attempt is a span, and nothing of a
// prompt, an answer or a key is exported.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { ask, CLAUDE } from '../../support/gateway/call-rig.ts';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';
import {
  type CollectedSpan,
  type OtlpCollector,
  startOtlpCollector,
} from '../../support/telemetry/otlp-collector.ts';

const PARENT_SPAN = '00f067aa0ba902b7';
let traces = 0;

function newTraceId(): string {
  traces += 1;
  return traces.toString(16).padStart(32, 'a');
}

function traceHeaders(traceId: string): { readonly traceparent: string } {
  return { traceparent: `00-${traceId}-${PARENT_SPAN}-01` };
}

function spanNamed(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const found = spans.find((span) => span.name === name);
  assert.ok(found, `${name} in ${spans.map((span) => span.name).join(', ')}`);
  return found;
}

suite('telemetry over OTLP', () => {
  let collector: OtlpCollector;
  let gateway: TestGateway;

  before(async () => {
    collector = await startOtlpCollector();
    gateway = await startTestGateway(
      { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_METRIC_EXPORT_INTERVAL: '500' },
      () => SINGLE_ATTEMPTS,
    );
  });
  after(async () => {
    await gateway.close();
    await collector.close();
  });

  test("a request continues the caller's trace, and its attempt is a span within it", async () => {
    const traceId = newTraceId();
    const answer = await ask(gateway, { headers: traceHeaders(traceId) });
    assert.equal(answer.status, 200);
    const spans = await collector.trace(traceId, ({ length }) => length >= 2);
    const request = spanNamed(spans, 'POST /v1/messages');
    assert.equal(request.parentSpanId, PARENT_SPAN);
    assert.equal(request.attributes['spillway.request.id'], answer.headers.get('x-request-id'));
    const attempt = spanNamed(spans, `chat ${CLAUDE}`);
    assert.equal(attempt.parentSpanId, request.spanId);
    assert.equal(attempt.attributes['gen_ai.provider.name'], 'anthropic');
    assert.ok(Number(attempt.attributes['gen_ai.usage.output_tokens']) > 0);
    const [sent] = gateway.simulator.log();
    assert.ok(sent && !sent.headerNames.includes('traceparent'), 'providers see no trace');
  });

  test('a failed call has the error code on its spans', async () => {
    gateway.simulator.setScenario({ preset: 'overloaded' });
    const traceId = newTraceId();
    try {
      await ask(gateway, { headers: traceHeaders(traceId) });
    } finally {
      gateway.simulator.resetScenario();
    }
    const spans = await collector.trace(traceId, ({ length }) => length >= 2);
    for (const { name, status, attributes } of spans) {
      assert.equal(status.code, 2, name);
      assert.match(String(attributes['error.type']), /^[A-Z_]+$/, name);
    }
  });

  test('a trace of a job shows request, dispatch, run and attempt', async () => {
    const traceId = newTraceId();
    const body = { model: CLAUDE, prompt: 'Hello' };
    await ask(gateway, { path: '/v1/jobs', body, headers: traceHeaders(traceId) });
    const spans = await collector.trace(traceId, ({ length }) => length >= 4);
    const request = spanNamed(spans, 'POST /v1/jobs');
    for (const name of ['job dispatch', 'job run'])
      assert.equal(spanNamed(spans, name).parentSpanId, request.spanId);
    assert.equal(
      spanNamed(spans, `chat ${CLAUDE}`).parentSpanId,
      spanNamed(spans, 'job run').spanId,
    );
  });

  test('a trace that its caller does not sample is not exported', async () => {
    const traceId = newTraceId();
    const headers = { traceparent: `00-${traceId}-${PARENT_SPAN}-00` };
    await ask(gateway, { headers });
    const later = newTraceId();
    await ask(gateway, { headers: traceHeaders(later) });
    await collector.trace(later, ({ length }) => length >= 2);
    assert.ok(!collector.spans.some((span) => span.traceId === traceId));
  });

  test('metrics are exported from the registry under their own names and units', async () => {
    await ask(gateway);
    const expected = {
      'ai.request.count': '1',
      'ai.latency': 's',
      'gen_ai.client.token.usage': '{token}',
      'process.memory.usage': 'By',
      'queue.depth': '{message}',
    };
    while (Object.keys(expected).some((name) => !collector.metrics.has(name)))
      await collector.trace('', () => collector.metrics.size > 0).then(() => nextExport(collector));
    for (const [name, unit] of Object.entries(expected))
      assert.equal(collector.metrics.get(name)?.unit, unit, name);
  });

  test('no prompt, answer, key or provider text is in a span, a metric or a log entry', async () => {
    const canary = 'canary-4f9b-prompt';
    const secret = 'sk-ant-canary-secret-0123456789';
    const body = {
      model: CLAUDE,
      max_tokens: 50,
      system: canary,
      messages: [{ role: 'user', content: `${canary} and ${secret}` }],
      metadata: { user_id: 'someone' },
    };
    await ask(gateway, { body });
    await ask(gateway, { body: { ...body, stream: true } });
    await ask(gateway, { path: '/v1/jobs', body: { model: CLAUDE, prompt: canary } });
    await ask(gateway, { body, headers: { 'x-api-key': secret } });
    for (const preset of ['leaky', 'invalid-request', 'content-policy']) {
      gateway.simulator.setScenario({ preset, times: 1, secret, message: `${canary} ${secret}` });
      await ask(gateway, { body });
    }
    gateway.simulator.resetScenario();
    const traceId = newTraceId();
    await ask(gateway, { body, headers: traceHeaders(traceId) });
    await collector.trace(traceId, ({ length }) => length >= 2);
    await nextExport(collector);
    const admin = { headers: { authorization: `Bearer ${gateway.adminKey}` } };
    const texts = await Promise.all(
      ['/metrics', '/admin/logs?limit=1000'].map(async (path) =>
        (await fetch(gateway.url + path, admin)).text(),
      ),
    );
    for (const text of [...collector.bodies, ...texts]) {
      assert.ok(!text.includes(canary) && !text.includes(secret), text.slice(0, 2000));
      assert.ok(!text.includes(gateway.apiKey) && !text.includes(gateway.adminKey));
    }
  });
});

/** Resolves when the collector has received another body. */
async function nextExport(collector: OtlpCollector): Promise<void> {
  const { length } = collector.bodies;
  await collector.trace('', () => collector.bodies.length > length);
}

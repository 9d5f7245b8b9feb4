// One trace across processes: gateway, dispatcher and worker on PostgreSQL, Redis and RabbitMQ export the spans of a job to the
// same collector, and the job carries the trace from process to process.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { Connection } from 'rabbitmq-client';
import { GPT } from '../../support/gateway/call-rig.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { servicesFromEnv, uniqueName } from '../../support/services/services-from-env.ts';
import {
  type CollectedSpan,
  type OtlpCollector,
  startOtlpCollector,
} from '../../support/telemetry/otlp-collector.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const services = servicesFromEnv(process.env);
const MODEL = 'claude-sonnet-5-5';
const HTTP_TRACE = 'b'.repeat(32);
const RAW_TRACE = 'c'.repeat(32);
const FORWARDED_TRACE = 'd'.repeat(32);
const PARENT_SPAN = '00f067aa0ba902b7';

suite('a trace across processes', () => {
  let collector: OtlpCollector;
  let cluster: TestCluster;
  let gatewayUrl: string;
  let folder: string;

  before(async () => {
    folder = makeTempFolder();
    collector = await startOtlpCollector();
    cluster = await openTestCluster(services, folder, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      PROVIDER_SELECTION_STRATEGY: 'MESSAGE_BASED',
      ENABLE_MULTI_SERVER_ROUTING: 'true',
      INTER_SERVER_SECRET: 'an-inter-server-secret-of-32-bytes!',
    });
    ({ url: gatewayUrl } = await cluster.start(['gateway'], { SERVER_ID: 'gateway-1' }));
    await cluster.start(['gateway'], { SERVER_ID: 'gateway-2', SERVER_REGION: uniqueName('west') });
    await cluster.start(['dispatcher'], { SERVER_ID: 'dispatcher-1', DISPATCHER_ID: 'seven' });
    await cluster.start(['worker', '--provider', 'anthropic'], { SERVER_ID: 'worker-1' });
  });
  after(async () => {
    await cluster?.close();
    await collector?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("a caller's job has the spans of gateway, dispatcher, worker and attempt", {
    timeout: 30_000,
  }, async () => {
    const response = await fetch(`${gatewayUrl}/v1/jobs`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${cluster.apiKey}`,
        'content-type': 'application/json',
        traceparent: `00-${HTTP_TRACE}-${PARENT_SPAN}-01`,
      },
      body: JSON.stringify({ prompt: 'Hello', model: MODEL }),
    });
    assert.equal(response.status, 202);
    const spans = await collector.trace(HTTP_TRACE, isWholeJob);
    assert.deepEqual(placesOf(spans), [
      ['POST /v1/jobs', 'gateway-1'],
      [`chat ${MODEL}`, 'worker-1'],
      ['job dispatch', 'dispatcher-1'],
      ['job run', 'worker-1'],
    ]);
    const dispatch = spans.find(({ name }) => name === 'job dispatch');
    assert.equal(dispatch?.attributes['spillway.dispatcher.id'], 'seven');
  });

  test('a forwarded request has one trace through both servers', { timeout: 30_000 }, async () => {
    // One region's account is limited; the other server calls from another region.
    cluster.simulator.setScenario({
      preset: 'usage-limit',
      provider: 'openai',
      resetInSeconds: 600,
      times: 1,
    });
    const response = await fetch(`${gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${cluster.apiKey}`,
        'content-type': 'application/json',
        traceparent: `00-${FORWARDED_TRACE}-${PARENT_SPAN}-01`,
      },
      body: JSON.stringify({ model: GPT, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    cluster.simulator.resetScenario();
    assert.equal(response.status, 200, await response.text());
    assert.equal(response.headers.get('x-spillway-served-by'), 'gateway-2');
    const isServed = ({ name, server }: CollectedSpan) =>
      name === `chat ${GPT}` && server === 'gateway-2';
    const spans = await collector.trace(
      FORWARDED_TRACE,
      (all) => all.some(isServed) && all.some(({ parentSpanId }) => parentSpanId === PARENT_SPAN),
    );
    const path: string[] = [];
    for (let span = spans.find(isServed); span !== undefined; ) {
      path.unshift(`${String(span.server)}: ${span.name}`);
      const { parentSpanId } = span;
      span = spans.find(({ spanId }) => spanId === parentSpanId);
    }
    assert.equal(path[0], 'gateway-1: POST /v1/chat/completions');
    assert.deepEqual(path.slice(-2), [
      'gateway-2: POST /v1/chat/completions',
      `gateway-2: chat ${GPT}`,
    ]);
  });

  test('a foreign message continues the trace in its header', { timeout: 30_000 }, async () => {
    const broker = new Connection(services.rabbitmqUrl);
    const publisher = broker.createPublisher({ confirm: true });
    await publisher.send(
      {
        routingKey: cluster.env['RAW_ANALYSIS_QUEUE'] ?? '',
        headers: { traceparent: `00-${RAW_TRACE}-${PARENT_SPAN}-01` },
      },
      { AnalysisId: 'traced', prompt: 'Hello', provider: 'anthropic', model: MODEL },
    );
    await publisher.close();
    await broker.close();
    const spans = await collector.trace(RAW_TRACE, isWholeJob);
    assert.deepEqual(
      placesOf(spans).map(([name]) => name),
      [`chat ${MODEL}`, 'job dispatch', 'job receive', 'job run'],
    );
    const receive = spans.find(({ name }) => name === 'job receive');
    assert.equal(receive?.parentSpanId, PARENT_SPAN);
  });
});

function isWholeJob(spans: readonly CollectedSpan[]): boolean {
  return new Set(spans.map(({ name }) => name)).size >= 4;
}

function placesOf(spans: readonly CollectedSpan[]): (readonly [string, unknown])[] {
  return spans
    .map(({ name, server }) => [name, server] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

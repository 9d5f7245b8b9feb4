// Canaries through a cluster of two servers on PostgreSQL, Redis and RabbitMQ: every secret of the configuration, and prompts and
// completions on every route, in requests that succeed and in failures that quote them. None may appear in what the servers
// log, export, report or show to operators.
//
// By design a few answers have such text, and the search leaves them out: a job's own view has its result, a dead letter has
// its message, `raw` of a failed request is the provider's response (secrets redacted), `partial` what a cut stream had sent.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { Redis } from 'ioredis';
import { type Ask, administer, ask, CLAUDE, GPT } from '../../support/gateway/call-rig.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { startTextSink, type TextSink } from '../../support/telemetry/text-sink.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const services = servicesFromEnv(process.env);
const mark = randomBytes(6).toString('hex');
const PROMPT = `canary-prompt-${mark}`;
const COMPLETION = `canary-completion-${mark}`;
const secret = (name: string) => `canary-${name}-${mark}-0123456789abcdef`;
const WEBHOOK_SECRET = `whsec_${Buffer.from(secret('webhook')).toString('base64')}`;
const GEMINI = 'gemini-2.5-flash';
const HOSTILE_USER = 'line\n\u001b[31m\u2028<script>';

const GEMINI_BODY = { contents: [{ role: 'user', parts: [{ text: PROMPT }] }] };

const SETTINGS = `
retry: { budgetCapacity: 0, refusedCredentialMs: 0, errorRetries: 0, overloadedRetries: 0, throttledRetries: 0 }
breaker: { failures: 1000000 }
alerts: { intervalMs: 500, startAfter: 1, minRequests: 1, errorRate: 0.01, errorsPerMinute: 1 }
orchestrator: { decisionModel: anthropic/${CLAUDE}, replyModel: openai/${GPT} }
`;

const SECRETS: Record<string, string> = {
  ANTHROPIC_API_KEY: `sk-ant-${secret('anthropic')}`,
  OPENAI_API_KEY: `sk-${secret('openai')}`,
  GEMINI_API_KEY: `AIza${secret('gemini')}`,
  SPILLWAY_API_KEY: `sk-spw-${secret('caller')}`,
  SPILLWAY_ADMIN_KEY: secret('admin'),
  SPILLWAY_HASH_KEY: secret('hash'),
  INTER_SERVER_SECRET: secret('signing'),
  ALERT_WEBHOOK_SECRET: WEBHOOK_SECRET,
};
/** Public: every report has it. The SDK accepts letters and digits only. */
const SENTRY_KEY = `canarysentry${mark}`;
const WRONG_KEY = `sk-spw-${secret('wrong')}`;

suite('canaries in a cluster of two servers', { timeout: 120_000 }, () => {
  let folder: string;
  let cluster: TestCluster;
  let sink: TextSink;
  let redis: Redis;
  const servers: Awaited<ReturnType<TestCluster['start']>>[] = [];
  const requestIds: string[] = [];
  const jobIds: string[] = [];
  /** Secrets that the servers issue: keys, the secret of callbacks, sessions. */
  const issued: string[] = [];

  before(async () => {
    folder = makeTempFolder();
    const file = join(folder, 'spillway.yaml');
    writeFileSync(file, SETTINGS);
    sink = await startTextSink();
    redis = new Redis(services.redisUrl);
    cluster = await openTestCluster(services, folder, {
      ...SECRETS,
      ENABLE_MULTI_SERVER_ROUTING: 'true',
      ENABLE_REDIS_LOGGING: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
      OTEL_METRIC_EXPORT_INTERVAL: '500',
      ALERT_WEBHOOK_URL: `${sink.url}/webhook`,
      ALERT_SLACK_URL: `${sink.url}/slack`,
      SENTRY_DSN: `http://${SENTRY_KEY}@127.0.0.1:${sink.port}/1`,
      LOG_SLOW_REQUEST_MS: '1',
    });
    for (const id of ['one', 'two'])
      servers.push(
        await cluster.start(['serve', '--config', file], {
          SERVER_ID: `${id}-${mark}`,
          SERVER_REGION: `${id}-${mark}`,
        }),
      );
  });
  after(async () => {
    await cluster?.close();
    redis?.disconnect();
    await sink?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function at(server: number) {
    const { url = '' } = servers[server] ?? {};
    return { url, apiKey: cluster.apiKey, adminKey: cluster.adminKey };
  }

  /** Sends every kind of request with the canaries to one server. */
  async function sendAll(server: number): Promise<readonly number[]> {
    const messages = [{ role: 'user', content: PROMPT }];
    const requests: readonly Ask[] = [
      { body: { model: CLAUDE, max_tokens: 50, system: PROMPT, messages } },
      { body: { model: CLAUDE, max_tokens: 50, messages, stream: true } },
      { path: '/v1/chat/completions', body: { model: GPT, messages } },
      { path: '/v1/chat/completions', body: { model: CLAUDE, messages, stream: true } },
      { path: '/v1/responses', body: { model: GPT, input: PROMPT } },
      { path: '/v1/embeddings', body: { model: 'text-embedding-3-small', input: PROMPT } },
      {
        path: `/v1beta/models/${GEMINI}:generateContent?key=${cluster.apiKey}`,
        body: GEMINI_BODY,
      },
      { path: '/v1/messages/count_tokens', body: { model: CLAUDE, messages } },
      { path: '/v1/messages', body: { model: CLAUDE, max_tokens: PROMPT, messages } },
      { path: '/v1/messages', body: `{"model":"${CLAUDE}","messages":"${PROMPT}` },
      { path: '/api/chat', body: { message: PROMPT } },
      { path: '/v1/jobs', body: { model: CLAUDE, prompt: PROMPT } },
      { path: '/v1/jobs', body: { request: { model: CLAUDE, max_tokens: 50, messages } } },
      {
        path: `/v1/builds/b-${mark}/events`,
        body: {
          type: 'x',
          title: PROMPT,
          description: PROMPT,
          error: `${PROMPT} ${SECRETS['ANTHROPIC_API_KEY']}`,
        },
      },
      { path: `/v1/nowhere/${cluster.apiKey}`, body: { model: CLAUDE, messages } },
      { body: { model: cluster.apiKey, max_tokens: 5, messages } },
      { body: { model: CLAUDE, max_tokens: 5, messages, metadata: { user_id: HOSTILE_USER } } },
      { body: { model: CLAUDE, max_tokens: 5, messages }, headers: { 'x-api-key': WRONG_KEY } },
      {
        body: { model: CLAUDE, max_tokens: 5, messages },
        headers: { 'idempotency-key': `k-${server}` },
      },
    ];
    const statuses: number[] = [];
    for (const request of requests) {
      const answer = await ask(at(server), request);
      statuses.push(answer.status);
      const id = answer.headers.get('x-request-id');
      if (id !== null) requestIds.push(id);
      if (answer.status === 202) jobIds.push((JSON.parse(answer.text) as { id: string }).id);
    }
    return statuses;
  }

  test('requests on all routes are served, refused and failed with their text quoted', async () => {
    cluster.simulator.setScenario({ preset: 'healthy', text: COMPLETION });
    const served = await sendAll(0);
    assert.ok(served.filter((status) => status < 300).length >= 12, served.join());
    for (const scenario of [
      { preset: 'invalid-request', echo: 'quoted' },
      { preset: 'content-policy', echo: 'json' },
      { preset: 'leaky', secret: SECRETS['ANTHROPIC_API_KEY'], message: `${PROMPT} ${COMPLETION}` },
      { preset: 'cut', text: COMPLETION.repeat(20) },
      { preset: 'credentials-refused', echo: 'before' },
    ]) {
      cluster.simulator.setScenario(scenario);
      await sendAll(1);
    }
    cluster.simulator.setScenario({ preset: 'healthy', text: COMPLETION });
  });

  test('a request that one server cannot serve is forwarded with its text', async () => {
    const scenario = { preset: 'usage-limit', provider: 'gemini', resetInSeconds: 600, times: 1 };
    cluster.simulator.setScenario(scenario);
    const path = `/v1beta/models/${GEMINI}:generateContent`;
    const answer = await ask(at(0), { path, body: GEMINI_BODY });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('x-spillway-served-by'), `two-${mark}`);
    cluster.simulator.setScenario({ preset: 'healthy', text: COMPLETION });
  });

  test('operators sign in, issue keys and try a request', async () => {
    const { secret: callbackSecret } = await administer(
      at(0),
      'POST',
      '/admin/orgs/default/webhook-secret',
    );
    const { key } = await administer(at(0), 'POST', '/admin/orgs/default/keys', { name: 'k' });
    const signIn = (adminKey: string) =>
      fetch(`${at(0).url}/dashboard/session`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          origin: at(0).url,
          'x-spillway-csrf': '1',
        },
        body: JSON.stringify({ key: adminKey }),
      });
    assert.equal((await signIn(WRONG_KEY)).status, 401);
    const session = await signIn(cluster.adminKey);
    const cookie = /=([^;]+);/.exec(session.headers.get('set-cookie') ?? '')?.[1] ?? '';
    issued.push(String(callbackSecret), String(key), cookie);
    for (const value of issued) assert.ok(value.length > 16, 'an issued secret is missing');
    await administer(at(0), 'POST', '/admin/try', {
      format: 'messages',
      model: CLAUDE,
      prompt: PROMPT,
    });
  });

  test('no sink and no answer for operators has a canary', async () => {
    await sink.until(({ path }) => path === '/webhook');
    await sink.until(({ path }) => path === '/slack');
    await sink.until(({ path, body }) => path === '/v1/traces' && body.includes('chat '));
    const listed = await untilListed();
    const searched = [...(await readAnswers(listed)), ...(await readRings())];
    // A server that ends flushes what it has buffered for each sink.
    const outputs = servers.map(({ process }) => process);
    for (const process of outputs) process.kill('SIGTERM');
    await Promise.all(outputs.map((process) => process.ended()));
    for (const [index, process] of outputs.entries()) {
      assert.ok(process.output().includes('"log_type":"request"'), 'requests are logged');
      searched.push({ where: `stdout of server ${index}`, text: process.output() });
      for (const raw of ['\u001b', '\u2028'])
        assert.ok(!process.output().includes(raw), 'text of callers is escaped');
      searched.push({ where: `stderr of server ${index}`, text: process.errors() });
    }
    assert.ok(
      sink.requests.some(({ path }) => path.startsWith('/api/1/')),
      'Sentry has reports',
    );
    for (const { path, headers, body } of sink.requests)
      searched.push({ where: path, text: body + headers });
    assert.deepEqual(findCanaries(searched), []);
  });

  type Searched = { readonly where: string; readonly text: string };

  /** The answers for operators at both servers. */
  async function readAnswers(ids: readonly string[]): Promise<Searched[]> {
    const lists = [
      '/admin/requests?limit=200',
      '/admin/jobs',
      '/admin/jobs?status=failed',
      '/admin/jobs?status=succeeded',
      '/admin/dlq?fields=summary',
      '/admin/logs?limit=1000',
      '/admin/alerts',
      '/admin/audit',
      '/admin/orgs',
      '/admin/orgs/default/keys',
      '/admin/limits',
      '/admin/breakers',
      '/admin/dashboard/overview',
      '/admin/dashboard/live',
      '/admin/dashboard/jobs',
      '/admin/dashboard/money',
      '/admin/dashboard/money/default',
      '/admin/dashboard/spend',
      '/admin/try',
      '/cluster/status',
      '/metrics',
      '/health',
      '/health/ready',
      '/openapi.json',
      '/docs',
      '/',
    ];
    const paths = [...lists, ...ids.map((id) => `/admin/requests/${id}`)];
    const jobs = await administer(at(0), 'GET', '/admin/jobs?limit=200');
    for (const { jobId } of jobs['data'] as { jobId: string }[]) paths.push(`/admin/jobs/${jobId}`);
    const searched: Searched[] = [];
    for (const server of [0, 1])
      for (const path of paths) {
        const answer = await fetch(at(server).url + path, {
          headers: { authorization: `Bearer ${cluster.adminKey}` },
        });
        const text = await answer.text();
        if (answer.status !== 200 && !path.startsWith('/admin/requests/'))
          assert.fail(`${path}: ${answer.status} ${text}`);
        searched.push({ where: `${server} ${path}`, text: withoutProviderText(path, text) });
      }
    return searched;
  }

  /** Redis has both lists of log entries; other tests write to them, too. */
  async function readRings(): Promise<Searched[]> {
    const searched: Searched[] = [];
    for (const key of ['server:logs', 'server:logs:requests']) {
      const text = (await redis.lrange(key, 0, -1)).join('\n');
      assert.ok(text.includes(mark), `${key} has entries of these servers`);
      searched.push({ where: key, text });
    }
    return searched;
  }

  /** The requests that the servers know, once usage and failures are stored. */
  async function untilListed(): Promise<readonly string[]> {
    for (;;) {
      const { data } = await administer(at(0), 'GET', '/admin/requests?limit=200');
      const ids = (data as { id: string }[]).map(({ id }) => id);
      if (ids.length >= 10) return [...new Set([...ids, ...requestIds])];
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  function findCanaries(searched: readonly Searched[]): readonly string[] {
    const passwords = [services.databaseUrl, services.redisUrl, services.rabbitmqUrl]
      .map((url) => new URL(url).password)
      .filter((password) => password.length >= 12);
    const canaries = [
      PROMPT,
      COMPLETION,
      WRONG_KEY,
      ...Object.values(SECRETS),
      ...issued,
      ...passwords,
    ];
    return searched.flatMap(({ where, text }) =>
      canaries
        .filter((canary) => text.includes(canary))
        .map((canary) => `${where}: ${canary}: ${excerpt(text, canary)}`),
    );
  }
});

function excerpt(text: string, canary: string): string {
  const at = text.indexOf(canary);
  return text.slice(Math.max(0, at - 200), at + canary.length + 50);
}

/** The record of a failed request has the provider's response and the output of a cut stream, both without secrets. */
function withoutProviderText(path: string, text: string): string {
  if (!/^\/admin\/requests\/./.test(path)) return text;
  return JSON.stringify(JSON.parse(text), (name, value: unknown) => {
    if (name !== 'raw' && name !== 'partial') return value;
    return JSON.stringify(value).replaceAll(PROMPT, '').replaceAll(COMPLETION, '');
  });
}

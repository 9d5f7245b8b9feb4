import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '../../jobs/model/job.ts';
import type { JobMessage } from '../../jobs/model/job-message.ts';
import { createResolveTargets } from '../../routing/resolve-targets.ts';
import { planJob } from './plan-job.ts';

const accounts = [{ name: 'main', apiKey: 'our-key' }];
const providers = [
  { name: 'anthropic', format: 'anthropic', baseUrl: 'https://a.example', models: ['claude-*'] },
  { name: 'openai', format: 'openai', baseUrl: 'https://o.example/v1', models: ['gpt-*'] },
  { name: 'gemini', format: 'gemini', baseUrl: 'https://g.example', models: ['gemini-*'] },
] as const;
const parts = {
  resolveTargets: createResolveTargets({
    providers: providers.map((provider) => ({ ...provider, region: 'global', accounts })),
    aliases: [],
    loadOf: () => 0,
  }),
  isReasoning: () => false,
};

const JOB: Job = {
  id: 'job',
  publicId: 'job',
  organizationId: 'acme',
  origin: 'http',
  state: 'running',
  fence: 2,
  run: 1,
  attempts: 1,
  losses: 0,
  priority: 5,
  queue: 'q',
  runAt: 0,
  publishedAt: 0,
  createdAt: 0,
  updatedAt: 0,
};

async function planned(provider: string, model: string, message: JobMessage) {
  const run = { job: { ...JOB, provider, model }, message };
  const plan = await planJob(parts, run, undefined);
  const [target] = plan.targets;
  assert.ok(target);
  const { isStream, path, body } = plan.callTo(target);
  assert.equal(plan.isStream, isStream);
  return { isStream, path, body: JSON.parse(body.toString()) as Record<string, unknown> };
}

function queued(operation: string, request: Record<string, unknown>): JobMessage {
  return { request, native: { operation, headers: {} } };
}

test('other requests are served while a large request is planned', async () => {
  let wasServed = false;
  setImmediate(() => {
    wasServed = true;
  });
  await planned('openai', 'gpt-x', { request: { messages: [], user: 'x'.repeat(2 ** 20) } });
  assert.ok(wasServed);
});

test('a request for a stream is sent as one, and chat includes its usage', async () => {
  const claude = await planned('anthropic', 'claude-x', { request: { stream: true } });
  assert.deepEqual(claude, {
    isStream: true,
    path: '/v1/messages',
    body: { model: 'claude-x', stream: true },
  });
  const options = { include_usage: false, other: 1 };
  const chat = await planned('openai', 'gpt-x', {
    request: { model: 'alias', stream: true, stream_options: options },
  });
  assert.deepEqual(chat, {
    isStream: true,
    path: '/v1/chat/completions',
    body: { model: 'gpt-x', stream: true, stream_options: { include_usage: true, other: 1 } },
  });
  const responses = await planned(
    'openai',
    'gpt-x',
    queued('/v1/responses', { stream: true, input: 'Hi' }),
  );
  assert.deepEqual(responses, {
    isStream: true,
    path: '/v1/responses',
    body: { model: 'gpt-x', input: 'Hi', stream: true },
  });
});

test('Gemini streams by its path, with the original query', async () => {
  const own = await planned('gemini', 'gemini-x', { request: { stream: true } });
  const path = '/v1beta/models/gemini-x:streamGenerateContent';
  assert.deepEqual(own, { isStream: true, path: `${path}?alt=sse`, body: {} });
  for (const query of ['', '?alt=sse']) {
    const message = queued(`/v1beta/models/alias:streamGenerateContent${query}`, { contents: [] });
    const { isStream, path: sentTo, body } = await planned('gemini', 'gemini-x', message);
    assert.deepEqual([isStream, sentTo, body], [true, path + query, { contents: [] }]);
  }
});

test('other operations are not streamed, whatever the request states', async () => {
  for (const [provider, model, message] of [
    ['openai', 'gpt-x', { prompt: 'Hi' }],
    ['openai', 'gpt-x', { request: { stream: 'true', stream_options: { include_usage: true } } }],
    ['openai', 'gpt-x', queued('/v1/embeddings', { stream: true, input: 'Hi' })],
    ['anthropic', 'claude-x', queued('/v1/messages/count_tokens', { stream: true })],
    ['gemini', 'gemini-x', queued('/v1beta/models/m:generateContent', { stream: true })],
  ] as const) {
    const { isStream, path, body } = await planned(provider, model, message);
    assert.equal(isStream, false, path);
    assert.deepEqual([body['stream'], body['stream_options']], [undefined, undefined], path);
  }
});

test('the uses of tools are bounded in a queued response that does not bound them itself', async () => {
  const plan = async (request: Record<string, unknown>) => {
    const message = queued('/v1/responses', { tools: [{ type: 'web_search' }], ...request });
    const run = { job: { ...JOB, provider: 'openai', model: 'gpt-x' }, message };
    return planJob(parts, run, undefined);
  };
  const open = await plan({ max_tool_calls: null });
  const [target] = open.targets;
  assert.ok(target && open.canLimitTools);
  const { body } = open.callTo(target, undefined, 3);
  assert.equal((JSON.parse(body.toString()) as Record<string, unknown>)['max_tool_calls'], 3);
  assert.equal((await plan({ max_tool_calls: 5 })).canLimitTools, false);
});

// The usage report per endpoint: usage is read from the provider's answer, unary or streamed, and priced with
// its cached and reasoning parts; free operations cost nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { nanosToUsd } from '../../../src/kernel/money.ts';
import { NO_USAGE, type Usage } from '../../../src/kernel/usage.ts';
import { createPriceBook } from '../../../src/metering/prices/price-book.ts';
import { anthropic, google, openai } from '../../support/gateway/sdk-clients.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const REPORT = z.object({
  total: z.object({
    attempts: z.number(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheReadTokens: z.number(),
    costUsd: z.number(),
  }),
});

/** Resolves when the report counts this number of attempts: records reach it shortly after the answers. */
async function usageAfter({ url, apiKey }: TestGateway, attempts: number) {
  for (;;) {
    const headers = { authorization: `Bearer ${apiKey}` };
    const response = await fetch(`${url}/v1/usage`, { headers });
    const { total } = REPORT.parse(await response.json());
    if (total.attempts >= attempts) return total;
  }
}

function costUsd(provider: string, model: string, usage: Partial<Usage>): number {
  const nanos = createPriceBook().costNanos(provider, model, { ...NO_USAGE, ...usage }, Date.now());
  return nanosToUsd(nanos);
}

test('a response is charged by its usage, with the cached part priced separately, unary and streamed', async (context) => {
  const gateway = await startTestGateway();
  context.after(() => gateway.close());
  const usage = { inputTokens: 1000, cacheReadTokens: 400, outputTokens: 300, thinkingTokens: 100 };
  gateway.simulator.setScenario({ usage });
  const ask = { model: 'gpt-5-mini', input: 'Hello' };
  await openai(gateway).responses.create(ask);
  await openai(gateway).responses.stream(ask).finalResponse();
  const total = await usageAfter(gateway, 2);
  const each = { inputTokens: 600, cacheReadTokens: 400, outputTokens: 300, reasoningTokens: 100 };
  assert.deepEqual(total, {
    attempts: 2,
    inputTokens: 1200,
    outputTokens: 600,
    cacheReadTokens: 800,
    costUsd: nanosSum(costUsd('openai', 'gpt-5-mini', each), 2),
  });
});

test('a compaction is charged by its usage, and counting its tokens is free', async (context) => {
  const gateway = await startTestGateway();
  context.after(() => gateway.close());
  gateway.simulator.setScenario({ usage: { inputTokens: 1000, outputTokens: 300 } });
  const client = openai(gateway);
  const ask = { model: 'gpt-5-mini' as const, input: 'A long conversation' };
  const counted = await client.responses.inputTokens.count(ask);
  assert.ok(counted.input_tokens > 0);
  const compacted = await client.responses.compact(ask);
  assert.equal(compacted.object, 'response.compaction');
  const stored = { model: 'gpt-5-mini' as const, previous_response_id: 'resp_1' };
  assert.equal((await client.responses.compact(stored)).usage.output_tokens, 300);
  const [summary] = compacted.output;
  assert.ok(summary?.type === 'compaction');
  const next = await client.responses.create({
    model: 'gpt-5-mini',
    input: [summary, { role: 'user', content: 'Go on' }],
  });
  assert.equal(next.status, 'completed');
  const total = await usageAfter(gateway, 4);
  const each = costUsd('openai', 'gpt-5-mini', { inputTokens: 1000, outputTokens: 300 });
  assert.equal(total.costUsd, nanosSum(each, 3));
});

test('embeddings are charged by their input, in either format', async (context) => {
  const gateway = await startTestGateway();
  context.after(() => gateway.close());
  const input = ['one', 'two', 'three'];
  await openai(gateway).embeddings.create({ model: 'text-embedding-3-small', input });
  await google(gateway).models.embedContent({ model: 'gemini-embedding-001', contents: input });
  const total = await usageAfter(gateway, 2);
  const truth = gateway.simulator.log();
  const tokens = truth.reduce((sum, entry) => sum + entry.inputTokens, 0);
  assert.deepEqual([total.inputTokens, total.outputTokens], [tokens, 0]);
  assert.ok(total.costUsd > 0);
});

test('token counts are recorded and cost nothing', async (context) => {
  const gateway = await startTestGateway();
  context.after(() => gateway.close());
  const messages = [{ role: 'user' as const, content: 'Hello there' }];
  await anthropic(gateway).messages.countTokens({ model: 'claude-sonnet-5', messages });
  await google(gateway).models.countTokens({ model: 'gemini-2.5-flash', contents: 'Hello there' });
  assert.deepEqual(await usageAfter(gateway, 2), {
    attempts: 2,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    costUsd: 0,
  });
});

/** Dollars as the report sums them: exactly, in billionths. */
function nanosSum(usd: number, times: number): number {
  return nanosToUsd(Math.round(usd * 1e9) * times);
}

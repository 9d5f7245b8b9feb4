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

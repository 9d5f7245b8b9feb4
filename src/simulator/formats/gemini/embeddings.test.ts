import assert from 'node:assert/strict';
import test from 'node:test';
import { ApiError, GoogleGenAI } from '@google/genai';
import { systemClock } from '../../../kernel/clock.ts';
import { startSimulator } from '../../simulator.ts';

const simulator = await startSimulator({ clock: systemClock });
const client = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: simulator.url } });
const MODEL = 'gemini-embedding-001';
test.after(() => simulator.close());

test('the same text has the same vector, alone and in a batch', async () => {
  const config = { outputDimensionality: 8 };
  const batch = await client.models.embedContent({
    model: MODEL,
    contents: ['one', 'two'],
    config,
  });
  assert.equal(batch.embeddings?.length, 2);
  const response = await fetch(`${simulator.url}/v1beta/models/${MODEL}:embedContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': 'key', 'content-type': 'application/json' },
    body: JSON.stringify({ content: { parts: [{ text: 'two' }] }, outputDimensionality: 8 }),
  });
  assert.partialDeepStrictEqual(await response.json(), {
    embedding: { values: batch.embeddings?.[1]?.values },
    usageMetadata: { promptTokenCount: 1 },
  });
});

test('a request without text, or with a model that differs from the path, is rejected', async () => {
  await assert.rejects(
    client.models.embedContent({ model: MODEL, contents: '' }),
    (failure) => failure instanceof ApiError && failure.status === 400,
  );
  const response = await fetch(`${simulator.url}/v1beta/models/${MODEL}:batchEmbedContents`, {
    method: 'POST',
    headers: { 'x-goog-api-key': 'key' },
    body: JSON.stringify({
      requests: [{ model: 'models/x', content: { parts: [{ text: 'a' }] } }],
    }),
  });
  assert.equal(response.status, 400);
});

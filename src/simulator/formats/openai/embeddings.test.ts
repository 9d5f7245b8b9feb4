import assert from 'node:assert/strict';
import test from 'node:test';
import OpenAI, { BadRequestError } from 'openai';
import { systemClock } from '../../../kernel/clock.ts';
import { startSimulator } from '../../simulator.ts';

const simulator = await startSimulator({ clock: systemClock });
const client = new OpenAI({ apiKey: 'key', baseURL: `${simulator.url}/v1`, maxRetries: 0 });
test.after(() => simulator.close());

test('the same text has the same unit vector in either encoding', async () => {
  const base = { model: 'text-embedding-3-small', input: ['one', 'two'], dimensions: 64 };
  const encoded = await client.embeddings.create(base);
  const plain = await client.embeddings.create({ ...base, encoding_format: 'float' });
  assert.equal(encoded.data.length, 2);
  assert.deepEqual(encoded.data[0]?.embedding, plain.data[0]?.embedding);
  assert.notDeepEqual(plain.data[0]?.embedding, plain.data[1]?.embedding);
  const length = Math.hypot(...(plain.data[0]?.embedding ?? []));
  assert.ok(Math.abs(length - 1) < 1e-5);
  assert.equal(plain.usage.prompt_tokens, 2);
});

test('an empty input is rejected', async () => {
  await assert.rejects(
    client.embeddings.create({ model: 'text-embedding-3-small', input: [] }),
    (failure) => failure instanceof BadRequestError && failure.param === 'input',
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { readJsonBodies } from './json-body.ts';

function server() {
  const app = fastify({ bodyLimit: 2 ** 24 });
  readJsonBodies(app);
  let bytes = 0;
  app.post('/', (request) => {
    bytes = JSON.stringify(request.body ?? null).length;
    return { bytes };
  });
  const post = (payload: string) =>
    app.inject({
      method: 'POST',
      url: '/',
      headers: { 'content-type': 'application/json' },
      payload,
    });
  return { post };
}

test('a body of any size is parsed, and an empty body counts as absent', async () => {
  const { post } = server();
  for (const length of [0, 10, 2 ** 20, 2 ** 22])
    assert.deepEqual((await post(JSON.stringify({ a: 'x'.repeat(length) }))).json(), {
      bytes: length + 8,
    });
  assert.deepEqual((await post('')).json(), { bytes: 4 });
});

test('broken, deep and structured bodies are refused, whatever their size', async () => {
  const { post } = server();
  for (const body of [
    '{"a":',
    `{"a":"${'x'.repeat(2 ** 21)}"`,
    '['.repeat(300),
    `[${'{},'.repeat(200_000)}1]`,
    `[${'1,'.repeat(3_000_000)}1]`,
  ])
    assert.notEqual((await post(body)).statusCode, 200, body.slice(0, 20));
});

test('other requests are served before a large body has been parsed', async () => {
  const { post } = server();
  const text = JSON.stringify({ a: '\\"'.repeat(2 ** 21) });
  const order: string[] = [];
  const parse = JSON.parse;
  JSON.parse = (given: string) => {
    if (given.length === text.length) {
      order.push('parsed');
      setImmediate(() => order.push('other request'));
    }
    return parse(given);
  };
  try {
    await post(text).then(() => order.push('answered'));
  } finally {
    JSON.parse = parse;
  }
  assert.deepEqual(order, ['parsed', 'other request', 'answered']);
});

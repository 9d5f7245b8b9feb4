import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { traceJob } from './trace-job.ts';

const traced = { atMs: 0, contextTokens: 100, generatedTokens: 7 };
const Body = z.object({
  id: z.string(),
  request: z.object({
    max_tokens: z.number(),
    messages: z.tuple([z.object({ content: z.string() })]),
  }),
});

test('a job has the size of its request, and no two jobs are equal', () => {
  const first = traceJob('run', 1, traced);
  const { id, request } = Body.parse(JSON.parse(first.body));
  assert.equal(id, 'run-1');
  assert.equal(request.max_tokens, 7);
  assert.equal(Buffer.byteLength(request.messages[0].content), 400);
  assert.notEqual(first.digest, traceJob('run', 2, traced).digest);
  assert.equal(first.digest, traceJob('run', 1, traced).digest);
});

test('a request of size zero still has a prompt and allows an answer', () => {
  const { body } = traceJob('run', 1, { atMs: 0, contextTokens: 0, generatedTokens: 0 });
  const { request } = Body.parse(JSON.parse(body));
  assert.ok(request.messages[0].content.length > 0);
  assert.equal(request.max_tokens, 1);
});

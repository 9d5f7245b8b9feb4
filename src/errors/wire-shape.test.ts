import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import Anthropic, {
  APIError as AnthropicError,
  RateLimitError as AnthropicRateLimitError,
} from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI } from '@google/genai';
import OpenAI, { APIError as OpenAIError, RateLimitError as OpenAIRateLimitError } from 'openai';
import { toPublicAnswer } from './public-answer.ts';
import { SpillwayError } from './spillway-error.ts';
import { errorBody, errorEnding, errorEvent, type WireFormat } from './wire-shape.ts';

const answer = toPublicAnswer(
  new SpillwayError('AI_LIMIT_REACHED', 'internal words', { resetAt: 1_754_636_400_000 }),
  {
    requestId: 'req_1',
    locale: 'en',
    timeZone: 'UTC',
    now: 1_754_636_400_000 - 720_000,
    queueAvailable: true,
  },
);

let server: Server;
let origin = '';

// The path selects the format, the query whether the answer is a stream that fails after its first event.
before(async () => {
  server = createServer((request, response) => {
    const url = request.url ?? '';
    const format = (['anthropic', 'openai', 'gemini'] as const).find((name) => url.includes(name));
    assert.ok(format);
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (body.includes('"stream":true') || url.includes('streamGenerateContent')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(errorEvent(format, answer, { partial: true }));
        return;
      }
      response.writeHead(answer.status, { ...answer.headers, 'content-type': 'application/json' });
      response.end(JSON.stringify(errorBody(format, answer)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(async () => {
  await new Promise((resolve) => server.close(resolve));
});

const messages = [{ role: 'user' as const, content: 'hello' }];

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => assert.fail('the call should have failed'),
    (error: unknown) => error,
  );
}

test('the Anthropic SDK raises its RateLimitError with the Spillway code inside', async () => {
  const client = new Anthropic({ apiKey: 'k', baseURL: `${origin}/anthropic` });
  const call = { model: 'm', max_tokens: 1, messages };
  const error = await failureOf(client.messages.create(call));
  assert.ok(error instanceof AnthropicRateLimitError);
  assert.equal(error.type, 'rate_limit_error');
  assert.deepEqual(error.error, {
    type: 'error',
    error: {
      type: 'rate_limit_error',
      code: 'AI_LIMIT_REACHED',
      spillway_code: 'AI_LIMIT_REACHED',
      params: { resetTime: 1_754_636_400_000 },
      message: 'The AI service has reached its usage limit. Please try again in 12 minutes.',
      retryable: false,
      retryAfterMs: 720_000,
      requestId: 'req_1',
      retryAfter: 720,
      suggestedActions: ['wait', 'queue'],
      queueAvailable: true,
    },
    request_id: 'req_1',
  });
});

test('the Anthropic SDK raises an APIError from a stream that has begun', async () => {
  const client = new Anthropic({ apiKey: 'k', baseURL: `${origin}/anthropic` });
  const stream = await client.messages.create({
    model: 'm',
    max_tokens: 1,
    messages,
    stream: true,
  });
  const error = await failureOf(Array.fromAsync(stream));
  assert.ok(error instanceof AnthropicError);
  assert.equal(error.type, 'rate_limit_error');
  assert.match(JSON.stringify(error.error), /"code":"AI_LIMIT_REACHED".*"partial":true/);
});

test('the OpenAI SDK raises its RateLimitError with the Spillway code as its code', async () => {
  const client = new OpenAI({ apiKey: 'k', baseURL: `${origin}/openai` });
  const error = await failureOf(client.chat.completions.create({ model: 'm', messages }));
  assert.ok(error instanceof OpenAIRateLimitError);
  assert.equal(error.code, 'AI_LIMIT_REACHED');
  assert.equal(error.type, 'usage_limit_reached');
  assert.partialDeepStrictEqual(error.error, {
    spillway_code: 'AI_LIMIT_REACHED',
    resets_at: 1_754_636_400,
    resets_in_seconds: 720,
  });
  assert.equal(error.param, null);
  assert.equal(error.requestID, 'req_1');
});

test('the OpenAI SDK raises an APIError from a stream that has begun', async () => {
  const client = new OpenAI({ apiKey: 'k', baseURL: `${origin}/openai` });
  const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
  const error = await failureOf(Array.fromAsync(stream));
  assert.ok(error instanceof OpenAIError);
  assert.equal(error.code, 'AI_LIMIT_REACHED');
  assert.match(JSON.stringify(error.error), /"partial":true/);
});

test('the Google SDK raises its ApiError with the code in ErrorInfo and the wait in RetryInfo', async () => {
  const client = new GoogleGenAI({
    apiKey: 'k',
    httpOptions: { baseUrl: `${origin}/gemini`, retryOptions: { attempts: 1 } },
  });
  const error = await failureOf(client.models.generateContent({ model: 'm', contents: 'hello' }));
  assert.ok(error instanceof ApiError);
  assert.equal(error.status, 429);
  const { code, status, details } = JSON.parse(error.message).error;
  assert.equal(code, 429);
  assert.equal(status, 'RESOURCE_EXHAUSTED');
  assert.deepEqual(details, [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'AI_LIMIT_REACHED',
      domain: 'spillway',
      metadata: {
        resetTime: '1754636400000',
        retryable: 'false',
        retryAfterMs: '720000',
        requestId: 'req_1',
        retryAfter: '720',
        suggestedActions: 'wait,queue',
        queueAvailable: 'true',
      },
    },
    {
      '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
      violations: [{ quotaMetric: 'AiCapacityPerDay', quotaId: 'AiCapacity' }],
    },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '720s' },
  ]);
});

test('the Google SDK raises its ApiError from a stream that has begun', async () => {
  const client = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: `${origin}/gemini` } });
  const stream = await client.models.generateContentStream({ model: 'm', contents: 'hello' });
  const error = await failureOf(Array.fromAsync(stream));
  assert.ok(error instanceof ApiError);
  assert.equal(error.status, 429);
  assert.match(error.message, /AI_LIMIT_REACHED.*"partial":"true"/);
});

test('an error event holds one line of data and never looks like a clean end', () => {
  for (const format of ['spillway', 'anthropic', 'openai', 'gemini'] satisfies WireFormat[]) {
    const frame = errorEvent(format, answer);
    assert.ok(frame.endsWith('\n\n'));
    assert.equal(frame.split('\n').filter((line) => line.startsWith('data: ')).length, 1);
    assert.doesNotMatch(frame, /\[DONE\]|message_stop|partial/);
  }
  assert.match(errorEvent('spillway', answer), /^event: error\ndata: \{"error":\{"code":/);
});

test('a Responses API stream fails with an event of that API, with the fields where SDKs look', () => {
  const [name, data = ''] = errorEnding('response_event', 'openai', answer).split('\n');
  assert.equal(name, 'event: error');
  const event: unknown = JSON.parse(data.slice('data: '.length));
  assert.partialDeepStrictEqual(event, {
    type: 'error',
    sequence_number: 0,
    code: 'AI_LIMIT_REACHED',
    message: answer.error.message,
    param: null,
    error: { code: 'AI_LIMIT_REACHED', type: 'usage_limit_reached', partial: true },
  });
});

test('a Responses API stream that has announced a response fails that response, too', () => {
  const begun = { id: 'resp_1', created_at: 7, model: 'gpt-5-mini' };
  const ending = errorEnding('response_event', 'openai', answer, begun);
  const [raised = '', failed = ''] = ending.trimEnd().split('\n\n');
  assert.match(raised, /^event: error\n/);
  const [name, data = ''] = failed.split('\n');
  assert.equal(name, 'event: response.failed');
  assert.deepEqual(JSON.parse(data.slice('data: '.length)), {
    type: 'response.failed',
    sequence_number: 1,
    response: {
      ...begun,
      object: 'response',
      status: 'failed',
      error: { code: 'AI_LIMIT_REACHED', message: answer.error.message },
      output: [],
    },
  });
});

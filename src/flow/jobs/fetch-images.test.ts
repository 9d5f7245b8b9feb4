import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Egress, EgressAnswer } from '../../jobs/ports/egress.ts';
import { createFetchImages, IMAGES_TIMEOUT_MS, MAX_IMAGES_BYTES } from './fetch-images.ts';

const SIGNAL = new AbortController().signal;

const clock = createTestClock();

function fetcher(egress: Pick<Egress, 'send'>) {
  return createFetchImages(egress, clock);
}

function answering(answer: Partial<EgressAnswer>, requested: number[] = []): Pick<Egress, 'send'> {
  return {
    send: async ({ maxAnswerBytes }) => {
      requested.push(maxAnswerBytes);
      const body = Buffer.from('png');
      return { status: 200, contentType: 'image/png; x=y', isCut: false, body, ...answer };
    },
  };
}

test('an image URL becomes a data URL of its type, and data URLs are unchanged', async () => {
  const fetchImages = fetcher(answering({}));
  const given = 'data:image/gif;base64,AAAA';
  assert.deepEqual(await fetchImages([given, 'https://example.com/a.png'], SIGNAL), [
    given,
    'data:image/png;base64,cG5n',
  ]);
});

test('all images of a job share one size bound', async () => {
  const requested: number[] = [];
  const fetchImages = fetcher(answering({}, requested));
  await fetchImages(['https://example.com/a', 'https://example.com/b'], SIGNAL);
  assert.deepEqual(requested, [MAX_IMAGES_BYTES, MAX_IMAGES_BYTES - 3]);
});

test("a non-image answer, a missing image or too much data is the caller's error", async () => {
  const code = 'INVALID_REQUEST';
  const params = { field: 'images' };
  for (const answer of [
    { contentType: 'text/html' },
    { status: 404 },
    { status: 302 },
    { contentType: undefined },
  ])
    await assert.rejects(fetcher(answering(answer))(['https://a.b/'], SIGNAL), {
      code,
      params,
    });
  await assert.rejects(fetcher(answering({ isCut: true }))(['https://a.b/'], SIGNAL), {
    code: 'REQUEST_TOO_LARGE',
  });
  const refusing = { send: () => Promise.reject(new SpillwayError('INVALID_REQUEST', 'private')) };
  await assert.rejects(fetcher(refusing)(['http://10.0.0.1/'], SIGNAL), { code, params });
});

test("a temporary failure of an image's host is retryable", async () => {
  await assert.rejects(fetcher(answering({ status: 503 }))(['https://a.b/'], SIGNAL), {
    code: 'NETWORK_TIMEOUT',
    retryable: true,
  });
});

test('all images of a job share one deadline', async () => {
  const timeouts: number[] = [];
  const slow: Pick<Egress, 'send'> = {
    send: async ({ timeoutMs }) => {
      timeouts.push(timeoutMs);
      await clock.advance(20_000);
      return { status: 200, contentType: 'image/png', isCut: false, body: Buffer.from('png') };
    },
  };
  const urls = ['https://a.b/1', 'https://a.b/2', 'https://a.b/3'];
  await assert.rejects(fetcher(slow)(urls, SIGNAL), { code: 'NETWORK_TIMEOUT', retryable: true });
  assert.deepEqual(timeouts, [IMAGES_TIMEOUT_MS, IMAGES_TIMEOUT_MS - 20_000]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { createDecodedUpstream, UndecodableAnswer } from './decoded-upstream.ts';
import type {
  UpstreamCall,
  UpstreamHeaders,
  UpstreamListener,
  UpstreamRequest,
} from './upstream.ts';

const TEXT = 'An answer. '.repeat(10_000);
const REQUEST: UpstreamRequest = {
  origin: 'http://p',
  path: '/',
  method: 'POST',
  headers: [],
  body: null,
};

type Played = {
  /** The provider's side of the call. */
  readonly provider: UpstreamListener;
  readonly call: UpstreamCall;
  readonly asked: string[];
  readonly heads: (readonly [number, UpstreamHeaders])[];
  readonly received: () => string;
  readonly outcome: Promise<Error | 'end'>;
};

function play(onData: (call: UpstreamCall, bytes: number) => void = () => {}): Played {
  const asked: string[] = [];
  const heads: (readonly [number, UpstreamHeaders])[] = [];
  const chunks: Buffer[] = [];
  const { promise, resolve } = Promise.withResolvers<Error | 'end'>();
  let provider: UpstreamListener | undefined;
  let bytes = 0;
  const upstream = createDecodedUpstream({
    send(_request, listener) {
      provider = listener;
      return {
        abort(reason) {
          asked.push('abort');
          listener.onFailure(reason);
        },
        pause: () => void asked.push('pause'),
        resume: () => void asked.push('resume'),
      };
    },
    close: async () => {},
  });
  const call = upstream.send(REQUEST, {
    onHead: (status, headers) => void heads.push([status, headers]),
    onData(chunk) {
      chunks.push(chunk);
      bytes += chunk.length;
      onData(call, bytes);
    },
    onEnd: () => resolve('end'),
    onFailure: resolve,
  });
  assert.ok(provider);
  const received = () => Buffer.concat(chunks).toString();
  return { provider, call, asked, heads, received, outcome: promise };
}

for (const [coding, encode] of [
  ['gzip', gzipSync],
  ['X-GZip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const)
  test(`a response with the coding ${coding} is decoded, and loses its length`, async () => {
    const { provider, heads, received, outcome } = play();
    const encoded = encode(TEXT);
    const length = String(encoded.length);
    provider.onHead(200, { 'content-encoding': coding, 'content-length': length, 'x-a': '1' });
    for (let at = 0; at < encoded.length; at += 50) provider.onData(encoded.subarray(at, at + 50));
    provider.onEnd();
    assert.equal(await outcome, 'end');
    assert.equal(received(), TEXT);
    assert.deepEqual(heads, [[200, { 'x-a': '1' }]]);
  });

test('a response without a coding is delivered as it is', async () => {
  for (const coding of [undefined, '', 'Identity']) {
    const { provider, heads, received, outcome } = play();
    const headers = { 'content-encoding': coding, 'content-length': '2' };
    provider.onHead(200, headers);
    provider.onData(Buffer.from('Hi'));
    provider.onEnd();
    assert.equal(await outcome, 'end');
    assert.deepEqual([received(), heads], ['Hi', [[200, headers]]]);
  }
});

test('a failure with an unknown coding is delivered as it is', async () => {
  const { provider, received, outcome } = play();
  provider.onHead(429, { 'content-encoding': 'compress' });
  provider.onData(Buffer.from('??'));
  provider.onEnd();
  assert.deepEqual([await outcome, received()], ['end', '??']);
});

test('an answer that cannot be decoded fails, and its call is aborted', async () => {
  const cut = gzipSync(TEXT).subarray(0, 100);
  for (const [coding, body] of [
    ['gzip', Buffer.from('not compressed')],
    ['gzip', cut],
    ['compress', Buffer.from('??')],
    ['gzip, br', Buffer.from('??')],
  ] as const) {
    const { provider, asked, outcome } = play();
    provider.onHead(200, { 'content-encoding': coding });
    provider.onData(body);
    provider.onEnd();
    assert.ok((await outcome) instanceof UndecodableAnswer, coding);
    assert.deepEqual(asked, ['abort']);
  }
});

test('a response that expands a thousandfold stops at the abort of its listener', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20));
  const limit = 2 ** 20;
  let most = 0;
  const { provider, outcome } = play((call, bytes) => {
    most = bytes;
    if (bytes > limit) call.abort(new Error('too large'));
  });
  provider.onHead(200, { 'content-encoding': 'gzip' });
  provider.onData(bomb);
  provider.onEnd();
  assert.match(String(await outcome), /too large/);
  assert.ok(most < 2 * limit, `${most} bytes`);
});

test('a paused listener gets nothing more, and the provider is paused until it resumes', async () => {
  const paused = Promise.withResolvers<void>();
  let isFirst = true;
  const { provider, call, asked, received, outcome } = play((made) => {
    if (!isFirst) return;
    isFirst = false;
    made.pause();
    paused.resolve();
  });
  const encoded = gzipSync(Buffer.alloc(4 * 2 ** 20, 'x'), { level: 0 });
  provider.onHead(200, { 'content-encoding': 'gzip' });
  provider.onData(encoded.subarray(0, 2 ** 20));
  await paused.promise;
  const before = received().length;
  assert.deepEqual(asked, ['pause']);
  provider.onData(encoded.subarray(2 ** 20));
  provider.onEnd();
  assert.equal(received().length, before);
  call.resume();
  assert.equal(await outcome, 'end');
  assert.equal(received().length, 4 * 2 ** 20);
});

test('an abort while the rest of a response is decoded gives one outcome', async () => {
  const { provider, call, outcome, received } = play();
  provider.onHead(200, { 'content-encoding': 'gzip' });
  provider.onData(gzipSync(TEXT));
  provider.onEnd();
  call.abort(new Error('the caller left'));
  assert.match(String(await outcome), /the caller left/);
  assert.equal(received(), '');
});

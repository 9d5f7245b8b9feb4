import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readFailure } from './read-failure.ts';

function read(failure: unknown, around = {}) {
  const { status, text, names, waits, windows, outcomes, field } = readFailure(failure, around);
  return { status, text, names: names.map(({ name }) => name), waits, windows, outcomes, field };
}

test('the innermost failing status wins over the statuses around it', () => {
  assert.equal(read({ status: 200, body: { error: { code: 429 } } }).status, 429);
  assert.equal(read({ status: 400, body: '{"error":{"code":"402"}}' }).status, 402);
  assert.equal(read({ status: 200, body: {} }).status, 200);
  assert.equal(read('x', { status: 503 }).status, 503);
});

test('a status is read from a sentence that names it, not from any number', () => {
  for (const text of [
    '429 Too Many Requests',
    'API Error: 429 x',
    'HTTP 429',
    'status=429',
    '(429)',
  ]) {
    assert.equal(read(text).status, 429, text);
  }
  for (const text of ['429 items found', 'room 429', 'limit 429', 'line 429, column 3']) {
    assert.equal(read(text).status, undefined, text);
  }
});

test('causes, aggregates and hidden properties of errors are read', () => {
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  const { names, text } = read(new TypeError('fetch failed', { cause }));
  assert.ok(names.includes('econnreset'));
  assert.equal(text, 'fetch failed\nread ECONNRESET');
  assert.match(read(new AggregateError([cause], 'all failed')).text, /all failed\nread ECONNRESET/);
});

test('the class of an error counts if its name is generic', () => {
  class RateLimitError extends Error {}
  assert.deepEqual(read(new RateLimitError('x')).names, ['ratelimit']);
});

test('only known keys are entered: a prompt in a request can contain any phrase', () => {
  const failure = {
    message: 'failed',
    requestBodyValues: { messages: [{ content: 'rate limit exceeded', message: 'quota' }] },
    config: { data: 'usage limit reached' },
  };
  assert.equal(read(failure).text, 'failed');
});

suite('texts', () => {
  test('JSON is found alone, after a sentence, inside a string, and in SSE frames', () => {
    const body = { error: { type: 'overloaded_error', message: 'Too much to do' } };
    const json = JSON.stringify(body);
    for (const text of [
      json,
      `API Error: 529 ${json} · Retrying`,
      JSON.stringify({ error: { message: json } }),
      `event: error\ndata: ${json}\n\n`,
      `[${json}]`,
    ]) {
      assert.deepEqual(read(text).names, ['overloaded'], text);
    }
  });

  test('pairs are extracted from a cut JSON body and from a Python dict', () => {
    const cut = '{"error":{"type":"rate_limit_error","code":429,"message":"Number of reque';
    assert.deepEqual(read(cut).names, ['ratelimit']);
    assert.equal(read(cut).status, 429);
    assert.equal(read(cut).text, 'Number of reque');
    const python =
      "Error code: 429 - {'error': {'message': \"can't\", 'type': 'tokens', 'param': None}}";
    assert.deepEqual(read(python).names, ['tokens']);
    assert.equal(read(python).text, "Error code: 429 -\ncan't");
  });

  test('an HTML page yields its status and its text', () => {
    const page =
      '<html><head><title>502 Bad Gateway</title><style>a{}</style></head><body><h1>x</h1></body>';
    assert.equal(read(page).status, 502);
    assert.equal(read(page).text, '502 Bad Gateway x');
  });

  test('ANSI colours are dropped', () => {
    assert.equal(read('\u001b[1m\u001b[31mlimit\u001b[0m').text, 'limit');
  });
});

suite('bounds', () => {
  test('at most 8 KiB of text are read, however it is distributed', () => {
    const long = 'x '.repeat(10_000);
    assert.ok(read(long).text.length <= 8_192);
    assert.ok(read({ message: long, detail: long, body: long }).text.length <= 8_192 + 2);
    assert.ok(read(new TextEncoder().encode(long)).text.length <= 8_192);
  });

  test('a wide or deep object is abandoned early, and a cycle terminates', () => {
    let reads = 0;
    const wide = new Proxy(
      {},
      {
        ownKeys: () => Array.from({ length: 5_000 }, (_, index) => `message${index}`),
        getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
        get: () => {
          reads += 1;
          return 'x';
        },
      },
    );
    read(wide);
    assert.ok(reads < 100, `${reads} reads`);
    const cycle: Record<string, unknown> = { message: 'x' };
    cycle['cause'] = cycle;
    cycle['errors'] = [cycle, cycle, cycle];
    assert.ok(read(cycle).text.length < 1_000);
  });

  test('a throwing getter or proxy loses only its own value', () => {
    const failure = {
      status: 429,
      get message(): string {
        throw new Error('no');
      },
      error: { type: 'overloaded_error' },
    };
    assert.deepEqual(read(failure).names, ['overloaded']);
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    assert.equal(read({ status: 503, cause: revoked.proxy }).status, 503);
  });
});

test('waits, windows, outcomes and the field are recognised by their keys', () => {
  const reading = read({
    retry_after: 3,
    'Retry-After-Ms': '250',
    resets_at: 1_772_380_800,
    details: [{ retryDelay: '34s', violations: [{ quotaId: 'RequestsPerDay' }] }],
    candidates: [{ finishReason: 'SAFETY' }],
    error: { param: 'max_tokens' },
  });
  assert.deepEqual(reading.waits, [
    { unit: 'seconds', value: 3 },
    { unit: 'milliseconds', value: '250' },
    { unit: 'instant', value: 1_772_380_800 },
    { unit: 'seconds', value: '34s' },
  ]);
  assert.deepEqual(reading.windows, ['requestsperday']);
  assert.deepEqual(reading.outcomes, ['SAFETY']);
  assert.equal(reading.field, 'max_tokens');
});

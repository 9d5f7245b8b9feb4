import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { judgeProviderError } from '../../errors/map-provider-error.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { RefusedCredentials } from './refused-credentials.ts';

const MINUTE_MS = 60_000;
const USE = { provider: 'anthropic', account: 'main', model: 'claude-a' };
const OTHER_MODEL = { ...USE, model: 'claude-b' };
const OTHER_ACCOUNT = { ...USE, account: 'spare' };

function failure(status: number, body: object): SpillwayError {
  const cause = { status, headers: {}, body: JSON.stringify(body) };
  const { verdict, lesson } = judgeProviderError(cause, { provider: 'anthropic' });
  return new SpillwayError(verdict.code, 'refused', { ...verdict, lesson, cause });
}

const INVALID_KEY = failure(401, { error: { type: 'authentication_error', message: 'no' } });
const FORBIDDEN = failure(403, { error: { type: 'permission_error', message: 'no' } });

test('a refused key fails the later calls of its account for a minute', async () => {
  const clock = createTestClock();
  const credentials = new RefusedCredentials({ clock, refusedMs: MINUTE_MS });
  assert.equal(credentials.refuses(USE), false);
  credentials.failed(USE, INVALID_KEY);
  assert.ok(credentials.refuses(USE));
  assert.ok(credentials.refuses(OTHER_MODEL));
  assert.equal(credentials.refuses(OTHER_ACCOUNT), false);
  await clock.advance(MINUTE_MS - 1);
  assert.ok(credentials.refuses(USE));
});

test('after the minute one call is the probe, and its success ends the refusal', async () => {
  const clock = createTestClock();
  const credentials = new RefusedCredentials({ clock, refusedMs: MINUTE_MS });
  credentials.failed(USE, INVALID_KEY);
  await clock.advance(MINUTE_MS);
  assert.equal(credentials.refuses(USE), false);
  assert.ok(credentials.refuses(USE));
  credentials.accepted(USE);
  assert.equal(credentials.refuses(USE), false);
});

test('a forbidden model fails only its own calls', () => {
  const credentials = new RefusedCredentials({ clock: createTestClock(), refusedMs: MINUTE_MS });
  credentials.failed(USE, FORBIDDEN);
  assert.ok(credentials.refuses(USE));
  assert.equal(credentials.refuses(OTHER_MODEL), false);
});

test('403s that several organisations meet in a row fail only the calls of these organisations', () => {
  const credentials = new RefusedCredentials({ clock: createTestClock(), refusedMs: MINUTE_MS });
  for (const organization of ['alice', 'bob', 'alice', 'dave'])
    credentials.failed(USE, FORBIDDEN, organization);
  for (const organization of ['alice', 'bob', 'dave'])
    assert.ok(credentials.refuses(USE, organization), organization);
  assert.equal(credentials.refuses(USE, 'carol'), false);
  assert.equal(credentials.refuses(OTHER_MODEL, 'alice'), false);
  credentials.accepted(USE, 'bob');
  assert.equal(credentials.refuses(USE, 'bob'), false);
  assert.ok(credentials.refuses(USE, 'alice'));
});

test('a 401 that one organisation meets fails the calls of all', () => {
  const credentials = new RefusedCredentials({ clock: createTestClock(), refusedMs: MINUTE_MS });
  credentials.failed(USE, INVALID_KEY, 'alice');
  assert.ok(credentials.refuses(USE, 'bob'));
});

for (const [name, error] of [
  [
    'a scope',
    {
      message:
        'You have insufficient permissions for this operation. Missing scopes: model.request.',
    },
  ],
  [
    'an operation without API keys',
    {
      code: 401,
      message: 'API keys are not supported by this API. Expected OAuth2 access token.',
      status: 'UNAUTHENTICATED',
    },
  ],
] as const)
  test(`a 401 for ${name} fails the calls of that organisation and model alone`, () => {
    const credentials = new RefusedCredentials({ clock: createTestClock(), refusedMs: MINUTE_MS });
    credentials.failed(USE, failure(401, { error }), 'alice');
    assert.ok(credentials.refuses(USE, 'alice'));
    assert.equal(credentials.refuses(OTHER_MODEL, 'alice'), false);
    assert.equal(credentials.refuses(USE, 'bob'), false);
  });

test('a key that Gemini refuses with a typed 400 fails the later calls of its account', () => {
  const credentials = new RefusedCredentials({ clock: createTestClock(), refusedMs: MINUTE_MS });
  const reason = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' };
  const message = 'API key not valid. Please pass a valid API key.';
  const error = { code: 400, message, status: 'INVALID_ARGUMENT', details: [reason] };
  credentials.failed(USE, failure(400, { error }));
  assert.ok(credentials.refuses(OTHER_MODEL));
});

test('a 400 that mentions a key refuses no credential', () => {
  const credentials = new RefusedCredentials({ clock: createTestClock(), refusedMs: MINUTE_MS });
  const said = failure(400, { error: { message: 'invalid x-api-key: check your API key' } });
  credentials.failed(USE, said);
  assert.equal(credentials.refuses(USE), false);
});

test('a memory of zero milliseconds refuses nothing', () => {
  const credentials = new RefusedCredentials({ clock: createTestClock(), refusedMs: 0 });
  credentials.failed(USE, INVALID_KEY);
  assert.equal(credentials.refuses(USE), false);
});

test('after a probe without an outcome another organisation makes the next probe', async () => {
  const clock = createTestClock();
  const credentials = new RefusedCredentials({ clock, refusedMs: MINUTE_MS });
  credentials.failed(USE, INVALID_KEY);
  await clock.advance(MINUTE_MS);
  assert.equal(credentials.refuses(USE, 'hostile', 'call-1'), false);
  assert.ok(credentials.refuses(USE, 'hostile', 'call-2'));
  assert.ok(credentials.refuses(USE, 'other', 'call-3'));
  for (const refused of ['call-2', 'call-3']) credentials.release(refused);
  assert.ok(credentials.refuses(USE, 'other', 'call-4'));
  credentials.release('call-1');
  assert.ok(credentials.refuses(USE, 'hostile', 'call-5'));
  assert.equal(credentials.refuses(OTHER_MODEL, 'other', 'call-6'), false);
  credentials.accepted(OTHER_MODEL, 'other');
  assert.equal(credentials.refuses(USE, 'hostile', 'call-7'), false);
});

test('after a hanging probe another organisation makes the next probe when the time of a refusal has passed', async () => {
  const clock = createTestClock();
  const credentials = new RefusedCredentials({ clock, refusedMs: MINUTE_MS });
  credentials.failed(USE, INVALID_KEY);
  await clock.advance(MINUTE_MS);
  assert.equal(credentials.refuses(USE, 'hostile', 'call-1'), false);
  assert.ok(credentials.refuses(USE, 'other', 'call-2'));
  await clock.advance(MINUTE_MS);
  assert.ok(credentials.refuses(USE, 'hostile', 'call-3'));
  assert.equal(credentials.refuses(USE, 'other', 'call-4'), false);
});

test('the only organisation continues to probe, and waits one minute for an organisation that has left', async () => {
  const clock = createTestClock();
  const credentials = new RefusedCredentials({ clock, refusedMs: MINUTE_MS });
  credentials.failed(USE, INVALID_KEY);
  await clock.advance(MINUTE_MS);
  for (const call of ['call-1', 'call-2']) {
    assert.equal(credentials.refuses(USE, 'only', call), false);
    credentials.release(call);
  }
  assert.equal(credentials.refuses(USE, 'only', 'call-3'), false);
  assert.ok(credentials.refuses(USE, 'other', 'call-4'));
  credentials.release('call-3');
  assert.ok(credentials.refuses(USE, 'only', 'call-5'));
  await clock.advance(MINUTE_MS);
  assert.equal(credentials.refuses(USE, 'only', 'call-6'), false);
});

test('a look at a refused key takes no probe', async () => {
  const clock = createTestClock();
  const credentials = new RefusedCredentials({ clock, refusedMs: MINUTE_MS });
  credentials.failed(USE, INVALID_KEY);
  assert.ok(credentials.isRefused(OTHER_MODEL));
  await clock.advance(MINUTE_MS);
  assert.equal(credentials.isRefused(USE), false);
  assert.equal(credentials.refuses(USE, 'first', 'call-1'), false);
});

// Sessions of operators over HTTP: the cookie, its checks, and the assets.

import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { after, before, test } from 'node:test';
import {
  startTestGateway,
  TEST_ADMIN_KEY,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';

const GUESSES = 5;
const FROM_PAGE = { 'x-spillway-csrf': '1', 'sec-fetch-site': 'same-origin' };

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway(
    { SPILLWAY_TRUST_FORWARDED_PROTO: 'true' },
    () => `server: { adminGuessesPerMinute: ${GUESSES} }`,
  );
});
after(() => gateway.close());

type Answer = { status: number; headers: IncomingHttpHeaders; body: string };

/** fetch refuses to set Host and sec-fetch-site. */
function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: object,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(gateway.url + path, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    request.on('error', reject);
    if (body) request.setHeader('content-type', 'application/json');
    request.end(body ? JSON.stringify(body) : undefined);
  });
}

function signIn(key = TEST_ADMIN_KEY, headers: Record<string, string> = {}): Promise<Answer> {
  return send('POST', '/dashboard/session', { ...FROM_PAGE, ...headers }, { key });
}

async function session(): Promise<{ cookie: string }> {
  const { headers } = await signIn();
  return { cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
}

test('a login with the admin key sets a cookie that scripts and other sites cannot use', async () => {
  const { status, headers, body } = await signIn();
  assert.equal(status, 200);
  const [cookie = ''] = headers['set-cookie'] ?? [];
  assert.match(
    cookie,
    /^spillway_session_\d+=v1\.[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  );
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(body.includes(TEST_ADMIN_KEY), false);
  assert.equal(cookie.includes(TEST_ADMIN_KEY), false);
});

test('the cookie is Secure behind a proxy that speaks TLS', async () => {
  const { headers } = await signIn(TEST_ADMIN_KEY, { 'x-forwarded-proto': 'https' });
  assert.match(headers['set-cookie']?.[0] ?? '', /; Secure$/);
});

test('a session reads and writes the admin API', async () => {
  const signedIn = await session();
  assert.equal((await send('GET', '/admin/orgs', signedIn)).status, 200);
  const created = await send(
    'POST',
    '/admin/orgs',
    { ...signedIn, ...FROM_PAGE },
    { id: 'by-session', name: 'By session' },
  );
  assert.equal(created.status, 201);
});

test('a write with a session is refused without the header or from another origin', async () => {
  const signedIn = await session();
  const body = { id: 'forged', name: 'Forged' };
  const refused: Record<string, string>[] = [
    { 'sec-fetch-site': 'same-origin' },
    { 'x-spillway-csrf': '1' },
    { 'x-spillway-csrf': '1', 'sec-fetch-site': 'same-site' },
    { 'x-spillway-csrf': '1', 'sec-fetch-site': 'cross-site' },
    { 'x-spillway-csrf': '1', origin: 'http://127.0.0.1:1' },
  ];
  for (const headers of refused) {
    const answer = await send('POST', '/admin/orgs', { ...signedIn, ...headers }, body);
    assert.equal(answer.status, 403, JSON.stringify(headers));
  }
  assert.equal((await send('GET', '/admin/orgs/forged', signedIn)).status, 404);
});

test('a read with a session from a page of another port is refused', async () => {
  const signedIn = await session();
  const answer = await send('GET', '/admin/orgs', { ...signedIn, 'sec-fetch-site': 'same-site' });
  assert.equal(answer.status, 403);
});

test('a Host that is not loopback is refused for the pages and for sessions', async () => {
  const { port } = new URL(gateway.url);
  const host = `rebind.attacker.example:${port}`;
  const signedIn = await session();
  assert.equal((await send('GET', '/', { host })).status, 403);
  assert.equal((await send('GET', '/dashboard/session', { host })).status, 403);
  assert.equal((await send('GET', '/admin/orgs', { ...signedIn, host })).status, 403);
  assert.equal((await signIn(TEST_ADMIN_KEY, { host })).status, 403);
  // A program with the admin key may use any name.
  const program = { authorization: `Bearer ${TEST_ADMIN_KEY}`, host };
  assert.equal((await send('GET', '/admin/orgs', program)).status, 200);
});

test('a forged and a foreign cookie are no session', async () => {
  const { cookie } = await session();
  for (const forged of [
    `${cookie}x`,
    cookie.replace(/v1\.\d/, 'v1.9'),
    cookie.replace('spillway', 'other'),
  ])
    assert.equal((await send('GET', '/admin/orgs', { cookie: forged })).status, 401, forged);
});

test('a session is no credential of the AI endpoints', async () => {
  const signedIn = await session();
  const body = {
    model: 'claude-sonnet-4-5',
    max_tokens: 5,
    messages: [{ role: 'user', content: 'x' }],
  };
  const answer = await send('POST', '/v1/messages', { ...signedIn, ...FROM_PAGE }, body);
  assert.equal(answer.status, 401);
});

test('signing out removes the cookie', async () => {
  const signedIn = await session();
  const { status, headers } = await send('DELETE', '/dashboard/session', {
    ...signedIn,
    ...FROM_PAGE,
  });
  assert.equal(status, 204);
  assert.match(headers['set-cookie']?.[0] ?? '', /^spillway_session_\d+=; Path=\/; Max-Age=0;/);
});

test('the session can be read without one', async () => {
  const { status, body } = await send('GET', '/dashboard/session');
  assert.equal(status, 200);
  assert.equal(JSON.parse(body).isSignedIn, false);
});

test('wrong keys are throttled per address, and the right key still signs in', async () => {
  const statuses: number[] = [];
  for (let guess = 0; guess <= GUESSES; guess += 1)
    statuses.push((await signIn(`wrong-key-${guess}`)).status);
  assert.deepEqual(statuses, [...Array.from({ length: GUESSES }, () => 401), 429]);
  assert.equal((await signIn()).status, 200);
});

test('a malformed login names the field', async () => {
  const answer = await send('POST', '/dashboard/session', FROM_PAGE, { password: 'x' });
  assert.equal(answer.status, 400);
  assert.match(answer.body, /"field":"(key|password)"/);
});

// Browsers on other origins: refused by default, allowed by configuration.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';

const ORIGIN = 'https://app.example';
const PREFLIGHT = {
  origin: ORIGIN,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
};

async function withOrigins(
  origins: string,
  check: (gateway: TestGateway) => Promise<void>,
): Promise<void> {
  const gateway = await startTestGateway({ SPILLWAY_CORS_ORIGINS: origins });
  try {
    await check(gateway);
  } finally {
    await gateway.close();
  }
}

function call({ url, apiKey }: TestGateway, origin: string): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, origin },
    body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hello' }] }),
  });
}

function corsHeaders({ headers }: Response): string[] {
  return [...headers.keys()].filter((name) => name.startsWith('access-control-'));
}

test('without configured origins no response has a CORS header', async () => {
  await withOrigins('', async (gateway) => {
    const preflight = await fetch(`${gateway.url}/v1/messages`, {
      method: 'OPTIONS',
      headers: PREFLIGHT,
    });
    assert.equal(preflight.status, 204);
    assert.deepEqual(corsHeaders(preflight), []);
    assert.deepEqual(corsHeaders(await call(gateway, ORIGIN)), []);
  });
});

test('a configured origin passes its preflight and reads responses, errors and our headers', async () => {
  await withOrigins(`${ORIGIN},http://localhost:5173`, async (gateway) => {
    const preflight = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'OPTIONS',
      headers: PREFLIGHT,
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), ORIGIN);
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /\bPOST\b/);
    assert.equal(
      preflight.headers.get('access-control-allow-headers'),
      PREFLIGHT['access-control-request-headers'],
    );
    const failed = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { origin: ORIGIN },
    });
    assert.equal(failed.status, 401);
    for (const answer of [await call(gateway, ORIGIN), failed]) {
      assert.equal(answer.headers.get('access-control-allow-origin'), ORIGIN);
      assert.equal(answer.headers.get('vary'), 'origin');
      assert.equal(answer.headers.get('access-control-allow-credentials'), null);
      const exposed = answer.headers.get('access-control-expose-headers')?.split(', ') ?? [];
      for (const name of ['x-request-id', 'retry-after', 'x-spillway-code', 'location'])
        assert.ok(exposed.includes(name), name);
    }
  });
});

test('an origin that is not configured gets no permission', async () => {
  await withOrigins(ORIGIN, async (gateway) => {
    for (const origin of ['https://app.example.evil', 'https://evil.example', 'null']) {
      const preflight = await fetch(`${gateway.url}/v1/messages`, {
        method: 'OPTIONS',
        headers: { ...PREFLIGHT, origin },
      });
      assert.deepEqual(corsHeaders(preflight), [], origin);
      assert.deepEqual(corsHeaders(await call(gateway, origin)), [], origin);
    }
  });
});

test('every origin may read under *, and never with credentials', async () => {
  await withOrigins('*', async (gateway) => {
    const answer = await call(gateway, 'https://anything.example');
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    assert.equal(answer.headers.get('access-control-allow-credentials'), null);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../config-error.ts';
import { loadConfig } from '../load-config.ts';
import { assertNoOwnAddress } from './own-address.ts';
import type { Role } from './simulator-stand-in.ts';

function check(env: Record<string, string>, role: Role = 'serve'): void {
  assertNoOwnAddress(loadConfig({ env, cwd: import.meta.dirname }), { role });
}

test('a base URL that is this server is refused under every name of the address', () => {
  for (const [own, baseUrl] of [
    [{}, 'http://127.0.0.1:8787'],
    [{}, 'http://localhost:8787/'],
    [{}, 'http://LOCALHOST:8787/anthropic'],
    [{}, 'http://[::1]:8787/v1'],
    [{}, 'http://0.0.0.0:8787'],
    [{}, 'http://127.0.0.2:8787'],
    [{ HOST: '[::1]' }, 'http://localhost:8787'],
    [{ HOST: '0.0.0.0', PORT: '80' }, 'http://127.0.0.1'],
    [{ HOST: '::', PORT: '9000' }, 'http://[::1]:9000'],
    [{ HOST: 'gateway.internal' }, 'http://gateway.internal:8787/v1'],
    [{ SERVER_URL: 'https://ai.example/' }, 'https://ai.example/anthropic'],
  ] as const) {
    for (const variable of ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL', 'GEMINI_BASE_URL'])
      assert.throws(
        () => check({ ...own, [variable]: baseUrl }),
        (error) => error instanceof ConfigError && error.message.startsWith(`${variable} of`),
        `${variable}=${baseUrl}`,
      );
  }
});

test('another port, another host and a role without AI endpoints are accepted', () => {
  check({});
  check({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:8788' });
  check({ ANTHROPIC_BASE_URL: 'https://127.0.0.1' });
  check({ HOST: '192.0.2.7', ANTHROPIC_BASE_URL: 'http://127.0.0.1:8787' });
  check({ PORT: '0', ANTHROPIC_BASE_URL: 'http://127.0.0.1:8787' });
  check({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:8787' }, 'worker');
});

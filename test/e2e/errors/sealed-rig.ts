// A gateway with three providers at one address, canaries as keys, and short clocks.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway } from '../../../src/app/create-gateway.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { readUntilBroken } from '../../support/gateway/read-until-broken.ts';
import { raiseLimits, SINGLE_ATTEMPTS } from '../../support/gateway/test-gateway.ts';
import { CANARIES } from './canaries.ts';

export const ADMIN_KEY = 'an-admin-key-for-tests-0123456789abcdef';
export const CALLER_KEY = 'a-key-for-tests-0123456789';

export type SealedRig = {
  readonly url: string;
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<CallerAnswer>;
  /** Clears the learnt provider limits, so that the next request is sent again. */
  forgetLimits(provider: string): Promise<void>;
  close(): Promise<void>;
};

export type CallOptions = {
  readonly key?: string;
  /** Called when status and headers have arrived, possibly before the body. */
  readonly onHead?: () => void;
};

export type CallerAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

export async function openSealedRig(
  providersUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<SealedRig> {
  const dataDir = mkdtempSync(join(tmpdir(), 'spillway-sealed-'));
  writeFileSync(join(dataDir, 'spillway.yaml'), CLOCKS + SINGLE_ATTEMPTS);
  const config = loadConfig({
    env: {
      PORT: '0',
      LOG_LEVEL: 'critical',
      SPILLWAY_DATA_DIR: dataDir,
      SPILLWAY_API_KEY: CALLER_KEY,
      SPILLWAY_ADMIN_KEY: ADMIN_KEY,
      MAX_RETRY_ATTEMPTS: '0',
      ...providers(providersUrl),
      ...env,
    },
    cwd: dataDir,
  });
  const gateway = await createGateway(config);
  const url = (await gateway.listen()) ?? '';
  await raiseLimits(url, ADMIN_KEY);
  const call: SealedRig['call'] = (method, path, body, options = {}) =>
    send(url + path, method, body, options);
  return {
    url,
    call,
    async forgetLimits(provider) {
      const { text } = await call('GET', '/admin/limits', undefined, { key: ADMIN_KEY });
      for (const [, region] of text.matchAll(new RegExp(`"${provider}","region":"([^"]+)"`, 'g')))
        await call('DELETE', `/admin/limits/${provider}/${region}`, undefined, { key: ADMIN_KEY });
    },
    async close() {
      await gateway.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const CLOCKS = `timeouts:
  connectMs: 300
  firstContentMs: 300
  reasoningFirstContentMs: 300
  idleMs: 300
  totalMs: 1500
  reasoningIdleMs: 300
  unaryMs: 300
  holdStatusMs: 1500
`;

function providers(url: string): Record<string, string> {
  const named = ['ANTHROPIC', 'OPENAI', 'GEMINI'].map((name) => [
    [`${name}_API_KEY`, CANARIES.providerKey],
    [`${name}_BASE_URL`, url],
    // This rig is about provider failures; none may come from Spillway's own limits.
    [`${name}_RATE_LIMIT`, '1000000'],
  ]);
  return Object.fromEntries(named.flat());
}

async function send(
  url: string,
  method: string,
  body: unknown,
  { key = CALLER_KEY, onHead }: CallOptions,
): Promise<CallerAnswer> {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  onHead?.();
  return {
    status: response.status,
    headers: response.headers,
    text: await readUntilBroken(response),
  };
}

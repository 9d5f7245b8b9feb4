// Is there a key for somebody to call? Nobody outside of this machine is contacted: only an address on loopback is
// tried, by opening a connection and closing it again.

import { connect } from 'node:net';
import type { Config, ProviderConfig } from '../../config/config.ts';
import {
  assertProviders,
  isLoopback,
  usesSimulator,
} from '../../config/providers/provider-keys.ts';
import { type DoctorCheck, failed, ok, type Verdict } from './check.ts';

const CONNECT_TIMEOUT_MS = 2000;

export const providersCheck: DoctorCheck = {
  name: 'providers',
  async look({ config }) {
    const withKey = Object.values(config.providers).filter(({ hasKey }) => hasKey);
    if (withKey.length === 0) return [withoutKey(config)];
    return Promise.all(withKey.map(lookAt));
  },
};

function withoutKey(config: Config): Verdict {
  if (usesSimulator(config, { role: 'serve' }))
    return ok('No provider has a key: the built-in simulator stands in.');
  try {
    assertProviders(config, { role: 'serve' });
    return ok('No provider needs a key.');
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    return failed(sentence, 'Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY.');
  }
}

async function lookAt({ name, baseUrl, accounts }: ProviderConfig): Promise<Verdict> {
  const url = new URL(baseUrl);
  const host = url.hostname.replaceAll(/[[\]]/g, '');
  const count = accounts.length === 1 ? 'a key' : `${accounts.length} keys`;
  if (!isLoopback(host))
    return ok(`${name} has ${count} for ${url.host}, which was not contacted.`);
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const reason = await tryConnect(host, port);
  if (reason === undefined) return ok(`${name} has ${count}, and ${url.host} takes connections.`);
  return failed(
    `${name} should be on ${url.host}, but nothing answers there (${reason}).`,
    `Start what should listen there, or correct ${name.toUpperCase()}_BASE_URL.`,
  );
}

/** Why not, or undefined when a connection could be made. */
function tryConnect(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_TIMEOUT_MS });
    function end(reason: string | undefined): void {
      socket.destroy();
      resolve(reason);
    }
    socket.once('connect', () => end(undefined));
    socket.once('timeout', () => end('no answer in time'));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}

// Checks that a provider has a key. It contacts no provider outside this machine: it only opens and closes a connection
// to a loopback address.

import { connect } from 'node:net';
import type { Config, ProviderConfig } from '../../config/config.ts';
import {
  assertProviders,
  isLoopback,
  usesSimulator,
} from '../../config/providers/simulator-stand-in.ts';
import { reasonOf } from '../../kernel/log.ts';
import { type DoctorCheck, failed, ok, type Verdict } from './check.ts';

const CONNECT_TIMEOUT_MS = 2000;

export const providersCheck: DoctorCheck = {
  name: 'providers',
  async inspect({ config }) {
    const withKey = Object.values(config.providers).filter(({ hasKey }) => hasKey);
    if (withKey.length === 0) return [withoutKey(config)];
    return Promise.all(withKey.map(lookAt));
  },
};

function withoutKey(config: Config): Verdict {
  if (usesSimulator(config, { role: 'serve' }))
    return ok('No provider has a key: `spillway serve` uses the built-in simulator.');
  try {
    assertProviders(config, { role: 'serve' });
    return ok('No provider needs a key.');
  } catch (error) {
    return failed(reasonOf(error), 'Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY.');
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
  if (reason === undefined) return ok(`${name} has ${count}, and ${url.host} accepts connections.`);
  return failed(
    `${name} is configured at ${url.host}, which accepts no connection (${reason}).`,
    `Start the server at that address, or correct ${name.toUpperCase()}_BASE_URL.`,
  );
}

/** The reason of a failed connection, or undefined. */
function tryConnect(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_TIMEOUT_MS });
    function end(reason: string | undefined): void {
      socket.destroy();
      resolve(reason);
    }
    socket.once('connect', () => end(undefined));
    socket.once('timeout', () => end('timeout'));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}

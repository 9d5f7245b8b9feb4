// `network_config` of a provider. Spillway has one policy of timeouts and retries for all providers: the largest value of
// the file is taken, so that no provider gets less than before.

import type { ImportContext } from '../import-context.ts';
import type { PeerMap } from '../peer-map.ts';
import { NETWORK } from './left-out-keys.ts';

type Rule = {
  readonly settings: readonly string[];
  readonly factor: number;
  readonly most: number;
};

const HOUR_MS = 3_600_000;

const RULES: Readonly<Record<string, Rule>> = {
  default_request_timeout_in_seconds: {
    settings: ['timeouts.unaryMs'],
    factor: 1000,
    most: Number.MAX_SAFE_INTEGER,
  },
  stream_idle_timeout_in_seconds: {
    settings: ['timeouts.idleMs'],
    factor: 1000,
    most: Number.MAX_SAFE_INTEGER,
  },
  max_retries: {
    settings: [
      'retry.throttledRetries',
      'retry.overloadedRetries',
      'retry.errorRetries',
      'retry.networkRetries',
    ],
    factor: 1,
    most: 100,
  },
  retry_backoff_initial: { settings: ['retry.baseMs'], factor: 1, most: HOUR_MS },
  retry_backoff_max: { settings: ['retry.maxMs'], factor: 1, most: HOUR_MS },
};

export function readNetwork(
  provider: PeerMap,
  { draft, findings }: ImportContext,
): { readonly baseUrl: string | undefined } {
  const network = provider.map('network_config');
  if (!network) return { baseUrl: undefined };
  for (const [key, { settings, factor, most }] of Object.entries(RULES)) {
    const read = network.number(key);
    if (!read) continue;
    const value = Math.min(Math.round(read.value * factor), most);
    if (value === 0 && key !== 'max_retries') {
      findings.leftOut(read.node, 'zero is no time; the default of Spillway applies');
      continue;
    }
    for (const setting of settings) draft.raise(setting, value);
    findings.changed(read.node, settings.join(', '), 'one value for all providers: the largest');
  }
  const base = network.text('base_url');
  if (base) findings.taken(base.node, 'the base URL of its providers');
  network.close(NETWORK);
  return { baseUrl: base?.value };
}

// A Spillway process in front of a simulated provider, started as `npm start` starts it: default configuration, embedded
// stores, a data folder of its own.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runSpillway } from '../test/support/gateway/spillway-process.ts';
import type { Endpoint } from './client.ts';

export type GatewaySide = {
  readonly endpoint: Endpoint;
  readonly adminKey: string;
};

/** Stops the process when `work` settles. `options` are those of `spillway serve`. */
export async function withSpillway<T>(
  providerUrl: string,
  folder: string,
  work: (side: GatewaySide) => Promise<T>,
  options: readonly string[] = [],
): Promise<T> {
  const dataDir = join(folder, 'data');
  const spillway = runSpillway(['serve', ...options], {
    SPILLWAY_DATA_DIR: dataDir,
    LOG_LEVEL: 'critical',
    ANTHROPIC_API_KEY: 'sk-provider-key',
    ANTHROPIC_BASE_URL: providerUrl,
    OPENAI_API_KEY: 'sk-provider-key',
    OPENAI_BASE_URL: `${providerUrl}/v1`,
    GEMINI_API_KEY: 'sk-provider-key',
    GEMINI_BASE_URL: providerUrl,
  });
  try {
    const url = await spillway.ready();
    const keyIn = (name: string) => readFileSync(join(dataDir, name), 'utf8').trim();
    const endpoint = { url, apiKey: keyIn('api-key') };
    return await work({ endpoint, adminKey: keyIn('admin-key') });
  } finally {
    spillway.kill('SIGKILL');
    await spillway.ended();
  }
}

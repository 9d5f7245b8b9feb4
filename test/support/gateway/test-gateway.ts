// A gateway in this process with the simulator as its provider, for tests over HTTP.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway } from '../../../src/app/create-gateway.ts';
import type { Config } from '../../../src/config/config.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { withSimulator } from '../../../src/config/providers/simulator-stand-in.ts';
import { SETTINGS } from '../../../src/config/schema/settings.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';

export type TestGateway = {
  readonly url: string;
  readonly apiKey: string;
  readonly adminKey: string;
  readonly simulator: Simulator;
  /** The folder of the embedded store and the journal. */
  readonly dataDir: string;
  /** Drains and closes both, and removes their data. */
  close(): Promise<void>;
};

export const TEST_API_KEY = 'a-key-for-tests-0123456789';
export const TEST_ADMIN_KEY = 'an-admin-key-for-tests-0123456789abcdef';

/** For tests of a single failure: no retries, and no circuit ever opens. */
export const SINGLE_ATTEMPTS = `
retry: { throttledRetries: 0, overloadedRetries: 0, errorRetries: 0, networkRetries: 0, maxInteractiveWaitMs: 0, refusedCredentialMs: 0 }
breaker: { failures: 1000000 }
`;

/** Beyond the reach of any test, so that only tests about limits hit one. */
const UNREACHABLE_LIMIT = 1_000_000;

/**
 * `file` returns the text of spillway.yaml for a simulator URL; by default every call is a single attempt.
 */
export async function startTestGateway(
  env: Record<string, string> = {},
  file?: (simulatorUrl: string) => string,
  clock = systemClock,
): Promise<TestGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'spillway-test-'));
  const simulator = await startSimulator({ clock: systemClock });
  writeFileSync(join(dataDir, 'spillway.yaml'), file ? file(simulator.url) : SINGLE_ATTEMPTS);
  const config = loadConfig({
    env: {
      PORT: '0',
      LOG_LEVEL: 'critical',
      SPILLWAY_DATA_DIR: dataDir,
      SPILLWAY_API_KEY: TEST_API_KEY,
      SPILLWAY_ADMIN_KEY: TEST_ADMIN_KEY,
      ...env,
    },
    cwd: dataDir,
  });
  const gateway = await createGateway(
    withSimulator(forgetful(config), simulator.url),
    undefined,
    clock,
  );
  const url = (await gateway.listen()) ?? '';
  await raiseLimits(url);
  return {
    url,
    apiKey: TEST_API_KEY,
    adminKey: TEST_ADMIN_KEY,
    simulator,
    dataDir,
    async close() {
      await gateway.close();
      await simulator.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The cases of a test share a gateway: a refused key of one case must not fail the next, unless a test is about that. */
function forgetful(config: Config): Config {
  const isDefault = config.retry.refusedCredentialMs === SETTINGS.retry.refusedCredentialMs.default;
  return isDefault ? { ...config, retry: { ...config.retry, refusedCredentialMs: 0 } } : config;
}

/** Raises the limits of the organisation `default` beyond the reach of any test. */
export async function raiseLimits(url: string, adminKey = TEST_ADMIN_KEY): Promise<void> {
  const answer = await fetch(`${url}/admin/orgs/default`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      requestsPerMinute: UNREACHABLE_LIMIT,
      monthlyBudgetUsd: UNREACHABLE_LIMIT,
    }),
  });
  if (!answer.ok) throw new Error(`limits could not be raised: ${await answer.text()}`);
}

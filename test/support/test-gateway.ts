// A gateway in this process with the simulator behind it, for tests that speak to it over HTTP.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway } from '../../src/app/create-gateway.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { withSimulator } from '../../src/config/provider-keys.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';

export type TestGateway = {
  readonly url: string;
  readonly apiKey: string;
  readonly adminKey: string;
  readonly simulator: Simulator;
  /** Drains and closes both, and removes their data. */
  close(): Promise<void>;
};

export const TEST_API_KEY = 'a-key-for-tests-0123456789';
export const TEST_ADMIN_KEY = 'an-admin-key-for-tests';

/** `file` makes the text of spillway.yaml, given where the simulator is. */
export async function startTestGateway(
  env: Record<string, string> = {},
  file?: (simulatorUrl: string) => string,
): Promise<TestGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'spillway-test-'));
  const simulator = await startSimulator({ clock: systemClock });
  if (file) writeFileSync(join(dataDir, 'spillway.yaml'), file(simulator.url));
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
  const gateway = await createGateway(withSimulator(config, simulator.url));
  return {
    url: (await gateway.listen()) ?? '',
    apiKey: TEST_API_KEY,
    adminKey: TEST_ADMIN_KEY,
    simulator,
    async close() {
      await gateway.close();
      await simulator.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

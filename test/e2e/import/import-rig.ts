// An imported installation as separate processes: `spillway import` writes spillway.yaml, a server starts with it, and the
// commands of the report create the organisations and keys. The simulator stands in for all providers; a provider's
// name is part of its base URL, so that the truth log shows it.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { Config } from '../../../src/config/config.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { finishSpillway, runSpillway } from '../../support/gateway/spillway-process.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const FIXTURES = resolve(import.meta.dirname, '../../../src/config/import/fixtures');

const report = z.object({
  counts: z.record(z.string(), z.number()),
  findings: z.array(z.object({ path: z.string(), status: z.string() })),
  variables: z.array(z.object({ name: z.string() })),
  commands: z.array(z.array(z.string())),
});

const organizations = z.object({
  data: z.array(
    z.object({ id: z.string(), monthlyBudgetUsd: z.number(), requestsPerMinute: z.number() }),
  ),
});

export type ImportedServer = {
  readonly url: string;
  readonly simulator: Simulator;
  /** The keys that the commands created, in their order. */
  readonly keys: readonly string[];
  /** The organisations with their monthly budgets in US dollars and their requests per minute. */
  organizations(): Promise<readonly (readonly [string, number, number])[]>;
  /** The providers that the simulator was called for. */
  asked(): readonly string[];
  close(): Promise<void>;
};

export async function startImported(peer: string, fixture: string): Promise<ImportedServer> {
  const folder = makeTempFolder();
  const out = join(folder, 'spillway.yaml');
  const file = join(FIXTURES, fixture);
  const imported = await finishSpillway(['import', peer, file, '--out', out, '--json']);
  assert.equal(imported.code, 0, imported.errors);
  const { variables, commands } = report.parse(JSON.parse(imported.output));
  const simulator = await startSimulator({ clock: systemClock });
  const keys = Object.fromEntries(variables.map(({ name }) => [name, `key-of-${name}`]));
  const { providers } = loadConfig({ env: keys, cwd: folder });
  const env = {
    ...keys,
    ...baseUrls(providers, simulator.url),
    SPILLWAY_DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'critical',
  };
  const server = runSpillway(['serve', '--config', out], env);
  const url = await server.ready();
  const created: string[] = [];
  for (const command of commands) {
    const done = await finishSpillway([...command, '--json', '--config', out], env);
    assert.equal(done.code, 0, `${command.join(' ')}: ${done.errors}`);
    if (command[0] === 'keys')
      created.push(z.object({ key: z.string() }).parse(JSON.parse(done.output)).key);
  }
  return {
    url,
    simulator,
    keys: created,
    async organizations() {
      const listed = await finishSpillway(['orgs', 'list', '--json', '--config', out], env);
      const { data } = organizations.parse(JSON.parse(listed.output));
      return data.map((each) => [each.id, each.monthlyBudgetUsd, each.requestsPerMinute]);
    },
    asked: () => simulator.log().map(({ provider }) => provider),
    async close() {
      server.kill('SIGTERM');
      await server.ended();
      await simulator.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function baseUrls(providers: Config['providers'], origin: string): Record<string, string> {
  return Object.fromEntries(
    Object.values(providers).map(({ name, format }) => [
      `${name.toUpperCase().replaceAll('-', '_')}_BASE_URL`,
      `${origin}/${name}${format === 'openai' ? '/v1' : ''}`,
    ]),
  );
}

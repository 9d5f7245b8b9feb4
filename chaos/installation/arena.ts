// The environment of a row: its own installation on the run's engines, the provider, a read-only view of the store,
// both ends of the broker, the random source. It closes everything it opened in reverse order, even when the row fails
// or the user interrupts.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Services } from '../../test/support/services/services.ts';
import { isolatedDatabase } from '../../test/support/services/services-from-env.ts';
import type { Dose } from '../faults/dose.ts';
import type { SeededRandom } from '../faults/seeded-random.ts';
import { type BrokerEnds, openBrokerEnds } from './broker-ends.ts';
import { type Crew, type CrewSize, endCrew, startCrew } from './crew.ts';
import {
  ADMIN_KEY,
  type Addresses,
  configurationFile,
  installationEnvironment,
  ORGANIZATION,
  OUTPUT_TOKENS,
  type QueueNames,
  queueNames,
} from './installation-settings.ts';
import type { Provider } from './provider.ts';
import { openStoreView, type StoreView } from './store-view.ts';

export type Arena = {
  readonly dose: Dose;
  readonly random: SeededRandom;
  readonly signal: AbortSignal;
  readonly engines: Services;
  readonly provider: Provider;
  /** Reports the current step; shown on a terminal, dropped otherwise. */
  progress(text: string): void;
  open(overrides?: InstallationOverrides): Promise<Installation>;
};

export type InstallationOverrides = {
  readonly size?: CrewSize;
  /** The organisation's limits and budget; by default more than enough. */
  readonly settings?: object;
  /** The values of the dose that this row overrides. */
  readonly dose?: Partial<Dose>;
  /** The program that the processes run instead of the command line. */
  readonly program?: URL;
  /** Added to the environment that every installation has. */
  readonly env?: Readonly<Record<string, string>>;
  /** Replaces the engines' addresses, for example by proxies. */
  readonly route?: (addresses: Addresses) => Addresses;
};

export type Installation = {
  readonly crew: Crew;
  readonly store: StoreView;
  readonly ends: BrokerEnds;
  readonly names: QueueNames;
  readonly rowName: string;
};

export type ArenaOptions = Omit<Arena, 'open'> & {
  readonly rowName: string;
  readonly folder: string;
};

export type OpenArena = Arena & { close(): Promise<void> };

export function openArena(options: ArenaOptions): OpenArena {
  const stops: (() => Promise<void>)[] = [];
  return {
    ...options,
    open: (overrides = {}) => openInstallation(options, overrides, stops),
    async close() {
      for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
    },
  };
}

async function openInstallation(
  options: ArenaOptions,
  { settings = {}, route = (addresses) => addresses, ...overrides }: InstallationOverrides,
  stops: (() => Promise<void>)[],
): Promise<Installation> {
  const { engines, provider, rowName, signal } = options;
  const dose = { ...options.dose, ...overrides.dose };
  const folder = join(options.folder, rowName);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'spillway.yaml'), configurationFile(dose));
  const database = isolatedDatabase(engines.databaseUrl, rowName);
  await runSql(engines.databaseUrl, database.createSql);
  stops.push(() => runSql(engines.databaseUrl, database.dropSql));
  await provider.clear();
  await provider.play(usualScenario(dose));
  const names = queueNames(rowName);
  const ends = await openBrokerEnds(engines.rabbitmqUrl, names);
  stops.push(() => ends.close());
  const addresses = { ...addressesOf(engines), databaseUrl: database.url };
  const routed = route({ ...addresses, providerUrl: provider.url });
  const env = { ...installationEnvironment(rowName, routed, dose), ...overrides.env };
  options.progress('starting the processes');
  const prepare = (url: string, limit: AbortSignal) =>
    changeOrganization(url, { ...UNREACHABLE_LIMIT, ...settings }, limit);
  const place = { folder, env, prepare, program: overrides.program };
  const crew = await startCrew(overrides.size ?? dose.crew, place, signal);
  stops.push(() => endCrew(crew));
  return { crew, store: openStoreView(database.url), ends, names, rowName };
}

const UNREACHABLE_LIMIT = { requestsPerMinute: 1_000_000, monthlyBudgetUsd: 1_000_000 };

/** A provider slow enough for a kill to interrupt calls in flight. */
export const UNLIMITED_SCENARIO: object = {
  latencyMs: 150,
  jitterMs: 100,
  usage: { inputTokens: 10, outputTokens: OUTPUT_TOKENS },
};

/** The same provider with an enforced limit. */
export function usualScenario({ perWindow, windowMs }: Dose): object {
  return { ...UNLIMITED_SCENARIO, rateLimit: { requestsPerMinute: perWindow, windowMs } };
}

function addressesOf({ databaseUrl, redisUrl, rabbitmqUrl }: Services) {
  return { databaseUrl, redisUrl, rabbitmqUrl };
}

async function changeOrganization(
  url: string,
  settings: object,
  signal: AbortSignal,
): Promise<void> {
  const answer = await fetch(`${url}/admin/orgs/${ORGANIZATION}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(settings),
    signal,
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The organisation could not be changed: ${text.slice(0, 300)}`);
}

async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

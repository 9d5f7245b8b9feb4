// Several gateways on one PostgreSQL and one Redis, for tests of budgets and limits. The simulator's truth log shows the served
// calls, the store the charged ones.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TruthEntry } from '../../../src/simulator/simulator.ts';
import { type Answer, administer, type Caller } from '../gateway/call-rig.ts';
import type { SpillwayProcess } from '../gateway/spillway-process.ts';
import { openTestCluster, type TestCluster } from '../gateway/test-cluster.ts';
import type { Services } from '../services/services.ts';
import { startServices } from '../services/start-services.ts';
import { runOn } from '../stores/isolated-postgres.ts';
import { makeTempFolder } from '../temp-folder.ts';

export const MODEL = 'claude-sonnet-4-5';
/** The tokens of each answer and the maximum of each request, so that the worst case is the real cost. */
export const OUTPUT_TOKENS = 100;
/** 100 tokens at 10 dollars a million; input is free. */
export const CALL_NANOS = 1_000_000;

export type Gateway = {
  readonly url: string;
  readonly process: SpillwayProcess;
  readonly dataDir: string;
};

export type MoneyCluster = {
  readonly cluster: TestCluster;
  readonly gateways: readonly Gateway[];
  /** Starts another gateway, or restarts one on its data folder. */
  startGateway(dataDir?: string): Promise<Gateway>;
  /** Creates an organisation with a key. */
  newTenant(
    settings: object,
  ): Promise<{ readonly organizationId: string; readonly apiKey: string }>;
  /** Counts and costs of the organisation's usage records in the store. */
  recordsOf(organizationId: string): Promise<Records>;
  /** The number of servers with an allotment of the organisation. */
  allottedServers(organizationId: string): Promise<number>;
};

export type Records = {
  readonly count: number;
  readonly lost: number;
  readonly requests: number;
  readonly costNanos: number;
};

export type MoneyClusterOptions = {
  readonly gateways: number;
  /** Further lines of spillway.yaml. */
  readonly file?: string;
  readonly env?: Readonly<Record<string, string>>;
};

const PRICES = `prices: { models: { ${MODEL}: { inputUsd: 0, outputUsd: 10 } } }\n`;
const ROOMY = { ANTHROPIC_RATE_LIMIT: '1000000', MAX_CONCURRENT_BUILDS: '5000' };

export async function openMoneyCluster(
  services: { readonly databaseUrl: string; readonly redisUrl: string },
  folder: string,
  { gateways: size, file = '', env = {} }: MoneyClusterOptions,
): Promise<MoneyCluster> {
  const { databaseUrl: serverUrl, redisUrl } = services;
  const engines = { databaseUrl: serverUrl, redisUrl, rabbitmqUrl: '' };
  const cluster = await openTestCluster(engines, folder, {
    LOG_LEVEL: 'error',
    ...ROOMY,
    ...env,
  });
  const config = join(folder, 'spillway.yaml');
  writeFileSync(config, PRICES + file);
  let started = 0;
  async function startGateway(given?: string): Promise<Gateway> {
    started += 1;
    const dataDir = given ?? join(folder, `gateway-${started}`);
    const role = ['gateway', '--config', config];
    return { ...(await cluster.start(role, { SPILLWAY_DATA_DIR: dataDir })), dataDir };
  }
  const gateways = await startAll(cluster, size, startGateway);
  cluster.simulator.setScenario({ usage: { inputTokens: 10, outputTokens: OUTPUT_TOKENS } });
  const databaseUrl = cluster.env['DATABASE_URL'] ?? '';
  return {
    cluster,
    gateways,
    startGateway,
    async newTenant(settings) {
      const operator = { url: gateways[0]?.url ?? '', adminKey: cluster.adminKey };
      const id = `org-${crypto.randomUUID()}`;
      await administer(operator, 'POST', '/admin/orgs', { id, name: 'tenant', ...settings });
      const made = await administer(operator, 'POST', `/admin/orgs/${id}/keys`, { name: 'k' });
      return { organizationId: id, apiKey: String(made['key']) };
    },
    async recordsOf(organizationId) {
      const [row] = await runOn(
        databaseUrl,
        `select count(*) as count, count(*) filter (where status = 'LOST') as lost,
           count(distinct request_id) as requests, coalesce(sum(cost_nanos), 0) as cost
         from spillway.usage_records where organization_id = '${organizationId}'`,
      );
      const [count, lost, requests, costNanos] = ['count', 'lost', 'requests', 'cost'].map((name) =>
        Number(row?.[name]),
      );
      assert.ok(count !== undefined && lost !== undefined);
      assert.ok(requests !== undefined && costNanos !== undefined);
      return { count, lost, requests, costNanos };
    },
    async allottedServers(organizationId) {
      const [row] = await runOn(
        databaseUrl,
        `select count(distinct server_id) as count from spillway.budget_allotments
         where organization_id = '${organizationId}'`,
      );
      return Number(row?.['count']);
    },
  };
}

export type MortalMoneyCluster = {
  readonly money: MoneyCluster;
  readonly services: Services;
  close(): Promise<void>;
};

/** With its own PostgreSQL and Redis, for a test that kills them. */
export async function openMortalMoneyCluster(
  options: MoneyClusterOptions,
): Promise<MortalMoneyCluster> {
  const folder = makeTempFolder();
  const env = { PATH: process.env['PATH'] };
  const services = await startServices({ env, log: () => {}, wanted: ['postgres', 'redis'] });
  const closeServices = async () => {
    await services.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const money = await openMoneyCluster(services, folder, options);
    const close = async (): Promise<void> => {
      await money.cluster.close();
      await closeServices();
    };
    return { money, services, close };
  } catch (cause) {
    await closeServices();
    throw cause;
  }
}

/** One after another: the first one migrates. If one fails to start, all are stopped. */
async function startAll(
  cluster: TestCluster,
  size: number,
  start: () => Promise<Gateway>,
): Promise<readonly Gateway[]> {
  const gateways: Gateway[] = [];
  try {
    while (gateways.length < size) gateways.push(await start());
  } catch (cause) {
    await cluster.close();
    throw cause;
  }
  return gateways;
}

/** A call that costs CALL_NANOS; undefined if its server died. */
export async function pay(
  { url, apiKey }: Caller,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer | undefined> {
  const messages = [{ role: 'user', content: 'Hello' }];
  try {
    const response = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: MODEL, max_tokens: OUTPUT_TOKENS, messages }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch {
    return undefined;
  }
}

/** Concurrent calls, in turn over the gateways. */
export function payMany(
  gateways: readonly Gateway[],
  apiKey: string,
  count: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly (Answer | undefined)[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      pay({ url: gateways[index % gateways.length]?.url ?? '', apiKey }, headers),
    ),
  );
}

export type Budget = {
  readonly limitUsd: number;
  readonly spentUsd: number;
  readonly heldUsd: number;
};

export async function budgetOf({ url, apiKey }: Caller): Promise<Budget> {
  const response = await fetch(`${url}/v1/budget`, { headers: { 'x-api-key': apiKey } });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text) as Budget;
}

/** Polls until the condition holds, for work that a process does in its own time. */
export async function until(
  what: string,
  isTrue: () => Promise<boolean> | boolean,
  withinMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isTrue())) {
    assert.ok(performance.now() < deadline, `timed out waiting until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The number of calls that a provider would bill. */
export function billed(entries: readonly TruthEntry[]): number {
  return entries.filter(({ status }) => status === 200 || status === null).length;
}

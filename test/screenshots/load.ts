// Simulated traffic: some organisations with budgets, calls of several models and jobs, and the faults of a good and of a very
// bad day.

import { setTimeout as wait } from 'node:timers/promises';
import { type Ask, administer, ask, type Caller } from '../support/gateway/call-rig.ts';
import type { HistoryClock } from './history-clock.ts';
import type { World } from './world.ts';

export type Tenant = Caller & { readonly weight: number };

const ORGANIZATIONS = [
  { id: 'northwind', name: 'Northwind Support', monthlyBudgetUsd: 60, weight: 5 },
  { id: 'contoso', name: 'Contoso Claims', monthlyBudgetUsd: 40, weight: 3 },
  { id: 'fabrikam', name: 'Fabrikam Search', monthlyBudgetUsd: 120, weight: 4 },
  { id: 'tailspin', name: 'Tailspin Toys', monthlyBudgetUsd: 12, weight: 1 },
  { id: 'litware', name: 'Litware Legal', monthlyBudgetUsd: 25, weight: 2 },
] as const;

/** Spends its whole budget with one call. */
const POOR = { id: 'adatum', name: 'Adatum Trials', monthlyBudgetUsd: 0.03 };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const PAST_DAYS = 12;
/** An hour passes in a minute and a half. */
const HISTORY_RATE = 40;
/** Two seconds of the past. */
const TICK_MS = 50;
const TOKENS = {
  usage: { inputTokens: 500, outputTokens: 120 },
  chunks: 4,
  // The answers state the rest of this limit: the headroom of the page Capacity.
  rateLimit: { requestsPerMinute: 600, tokensPerMinute: 400_000 },
};

export async function createTenants(
  world: Pick<World, 'url' | 'adminKey'>,
): Promise<readonly Tenant[]> {
  const tenants: Tenant[] = [];
  for (const { weight, ...organization } of ORGANIZATIONS) {
    await administer(world, 'POST', '/admin/orgs', { ...organization, requestsPerMinute: 10_000 });
    const key = { name: `${organization.id} backend` };
    const made = await administer(world, 'POST', `/admin/orgs/${organization.id}/keys`, key);
    tenants.push({ url: world.url, apiKey: String(made['key']), weight });
  }
  return tenants;
}

/** Days with a little traffic each, then an hour with a wave and one incident. Ends at the present time. */
export async function liveThroughHistory(
  { simulator }: Pick<World, 'simulator'>,
  tenants: readonly Tenant[],
  clock: HistoryClock,
): Promise<void> {
  const present = Date.now();
  simulator.setScenario({ usage: { inputTokens: 9000, outputTokens: 1500 }, latencyMs: 1 });
  for (let day = PAST_DAYS; day > 0; day -= 1) {
    clock.jumpTo(present - day * DAY_MS);
    await sendMany(tenants, 40 + ((day * 17) % 30));
  }
  clock.jumpTo(present - HOUR_MS);
  clock.setRate(HISTORY_RATE);
  for (let minute = 0; clock.now() < Date.now() - 1000; minute += 0.25) {
    simulator.setScenario({ ...TOKENS, latencyMs: 10, jitterMs: 25, ...incidentAt(clock.now()) });
    const count = 6 + Math.round(4 * Math.sin(minute / 4) + Math.random() * 3);
    // Calls that fail at once do not make more traffic.
    await Promise.all([sendMany(tenants, count), wait(TICK_MS)]);
  }
  clock.catchUp();
  simulator.setScenario(goodDay());
}

function goodDay(): object {
  return { ...TOKENS, latencyMs: 350, jitterMs: 500, chunkDelayMs: 120, errorRates: { 500: 0.01 } };
}

/** Twenty-six minutes before the present, four minutes of failing calls. */
function incidentAt(now: number): object {
  const agoMs = Date.now() - now;
  const isIncident = agoMs > 22 * 60_000 && agoMs < 26 * 60_000;
  return { errorRates: isIncident ? { 500: 0.3, 529: 0.2 } : { 500: 0.01 } };
}

/** Calls and jobs several times a second, until the end is called. */
export function keepLoad(tenants: readonly Tenant[], perSecond = 6): () => Promise<void> {
  const end = new AbortController();
  const open = new Set<Promise<unknown>>();
  const work = (async () => {
    while (!end.signal.aborted) {
      const call = sendOne(tenants).finally(() => open.delete(call));
      open.add(call);
      await wait(1000 / perSecond);
    }
    await Promise.allSettled(open);
  })();
  return () => {
    end.abort();
    return work;
  };
}

/** Limits at one provider, a broken second, an overloaded third, dead letters, and a budget that is spent. */
export async function setOnFire(world: World, tenants: readonly Tenant[]): Promise<void> {
  const { simulator } = world;
  await administer(world, 'POST', '/admin/orgs', POOR);
  const { key } = await administer(world, 'POST', `/admin/orgs/${POOR.id}/keys`, { name: 'trial' });
  simulator.setScenario({ usage: { inputTokens: 9000, outputTokens: 900 } });
  const poor = { url: world.url, apiKey: String(key), weight: 1 };
  for (let call = 0; call < 4; call += 1) await ask(poor, { model: 'claude-sonnet-5-5' });
  simulator.setScenario([
    { provider: 'openai', fault: 'server-error', status: 500 },
    { provider: 'gemini', preset: 'usage-limit', resetInSeconds: 5400 },
    { provider: 'anthropic', fault: 'server-error', status: 500 },
  ]);
  await submitJobs(tenants, 9);
  await sendMany(tenants, 60);
  simulator.setScenario([
    { provider: 'openai', fault: 'server-error', status: 500 },
    { provider: 'gemini', preset: 'usage-limit', resetInSeconds: 5400 },
    { provider: 'anthropic', preset: 'usage-limit', resetInSeconds: 1500 },
  ]);
  await submitJobs(tenants, 25);
  await sendMany(tenants, 60);
}

export async function submitJobs(tenants: readonly Tenant[], count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const model = JOB_MODELS[index % JOB_MODELS.length];
    await ask(chosen(tenants), { path: '/v1/jobs', body: { model, prompt: 'Summarise this.' } });
  }
}

async function sendMany(tenants: readonly Tenant[], count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => sendOne(tenants)));
}

const JOB_MODELS = ['gemini-2.5-flash', 'gpt-5-mini', 'claude-haiku-4-5'];
const MODELS = ['claude-sonnet-5-5', 'claude-sonnet-5-5', 'claude-haiku-4-5', 'gpt-5-mini'];

async function sendOne(tenants: readonly Tenant[]): Promise<void> {
  const tenant = chosen(tenants);
  // A server that is down refuses the connection.
  if (Math.random() < 0.12) return submitJobs([tenant], 1).catch(() => undefined);
  const model = MODELS[Math.floor(Math.random() * MODELS.length)] ?? 'gpt-5-mini';
  const asked: Ask = model.startsWith('gpt')
    ? {
        path: '/v1/chat/completions',
        body: { model, messages: [{ role: 'user', content: 'Hello' }] },
      }
    : { model, stream: Math.random() < 0.4 };
  await ask(tenant, asked).catch(() => undefined);
}

function chosen(tenants: readonly Tenant[]): Tenant {
  const all = tenants.flatMap((tenant) => Array.from({ length: tenant.weight }, () => tenant));
  const found = all[Math.floor(Math.random() * all.length)];
  if (!found) throw new Error('there is no tenant');
  return found;
}

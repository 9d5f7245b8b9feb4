// Customers, teams and virtual keys. Spillway has two levels, organisations and keys: a customer becomes an organisation,
// and so does a team without a customer. The keys of a customer's team have the team's budget each; the customer's budget is
// the organisation's.

import type { ImportContext } from '../import-context.ts';
import { type PeerMap, textOf } from '../peer-map.ts';
import { CUSTOMER, PROVIDER_CONFIG, TEAM, VIRTUAL_KEY } from './left-out-keys.ts';
import type { BudgetTable, OwnerKey, RateLimitTable } from './limit-tables.ts';

export type Tables = { readonly budgets: BudgetTable; readonly rateLimits: RateLimitTable };

/** The organisation of a team, and the budget that its keys carry. */
type Team = { readonly organization: string; readonly keyBudgetUsd: number | undefined };

export function readCallers(governance: PeerMap, tables: Tables, context: ImportContext): void {
  const customers = new Map<string, string>();
  for (const customer of governance.maps('customers')) {
    const id = customer.text('id');
    const organization = id && readOrganization(customer, 'customer_id', id, tables, context);
    if (id && organization !== undefined) customers.set(id.value, organization);
    customer.close(CUSTOMER);
  }
  const teams = new Map<string, Team>();
  for (const team of governance.maps('teams')) readTeam(team, customers, teams, tables, context);
  for (const key of governance.maps('virtual_keys'))
    readKey(key, customers, teams, tables, context);
}

function readOrganization(
  owner: PeerMap,
  key: OwnerKey,
  id: NonNullable<ReturnType<PeerMap['text']>>,
  { budgets, rateLimits }: Tables,
  { draft, findings }: ImportContext,
): string {
  const organization = id.value.replaceAll(/[^\w.-]+/g, '-').slice(0, 64);
  const to = `orgs create ${organization}`;
  const name = owner.text('name');
  const budget = budgets.take(owner, key, id.value, to);
  const limit = rateLimits.take(owner, to, true);
  draft.organization(organization, {
    ...(name && { name: name.value.slice(0, 200) }),
    ...(budget !== undefined && { monthlyBudgetUsd: budget }),
    ...(limit?.requests && { requestsPerMinute: limit.requests.amount }),
    ...(limit?.tokens && { [limit.tokens.setting]: limit.tokens.amount }),
  });
  for (const read of [id, name]) if (read) findings.taken(read.node, to);
  return organization;
}

function readTeam(
  team: PeerMap,
  customers: ReadonlyMap<string, string>,
  teams: Map<string, Team>,
  tables: Tables,
  context: ImportContext,
): void {
  const { findings } = context;
  const id = team.text('id');
  if (!id) return findings.leftOut(team.node, 'it has no id');
  const customer = team.text('customer_id');
  const organization = customers.get(customer?.value ?? '');
  if (organization === undefined) {
    const own = readOrganization(team, 'team_id', id, tables, context);
    if (customer) findings.leftOut(customer.node, 'the file has no such customer');
    teams.set(id.value, { organization: own, keyBudgetUsd: undefined });
  } else {
    const to = `the keys of the team in ${organization}`;
    const keyBudgetUsd = tables.budgets.take(team, 'team_id', id.value, to);
    for (const node of ['id', 'name', 'customer_id'].flatMap((key) => team.get(key) ?? []))
      findings.changed(
        node,
        to,
        'an organisation has no teams; each key has the budget of its team',
      );
    const limit = team.get('rate_limit_id');
    if (limit) findings.leftOut(limit, 'a team is not a level of its own; limit its keys');
    teams.set(id.value, { organization, keyBudgetUsd });
  }
  team.close(TEAM);
}

function readKey(
  key: PeerMap,
  customers: ReadonlyMap<string, string>,
  teams: ReadonlyMap<string, Team>,
  { budgets, rateLimits }: Tables,
  context: ImportContext,
): void {
  const { draft, findings } = context;
  if (key.boolean('is_active')?.value === false)
    return findings.leftOut(key.node, 'it is not active');
  const [id, name] = [key.text('id'), key.text('name')];
  const [team, customer] = [key.text('team_id'), key.text('customer_id')];
  const ofTeam = teams.get(team?.value ?? '');
  const organization = ofTeam?.organization ?? customers.get(customer?.value ?? '') ?? 'default';
  const to = `keys create --org ${organization}`;
  const own = budgets.take(key, 'virtual_key_id', id?.value, to);
  const usd = [own, ofTeam?.keyBudgetUsd].filter((each) => each !== undefined);
  const limit = rateLimits.take(key, to, false);
  const expires = key.text('expires_at');
  draft.keys.push({
    organization,
    name: (name?.value ?? id?.value ?? 'imported').slice(0, 200),
    models: readModels(key, to, context),
    ...(usd.length > 0 && { monthlyBudgetUsd: Math.min(...usd) }),
    ...(limit?.requests && { requestsPerMinute: limit.requests.amount }),
    ...(expires && { expiresAt: expires.value }),
  });
  const active = key.get('is_active');
  for (const node of [name, team, customer, expires].flatMap((read) => read?.node ?? []))
    findings.taken(node, to);
  if (active) findings.taken(active, to);
  key.close(VIRTUAL_KEY);
}

/** `provider/model` and the bare name, which an alias may have; `provider/*` for all models of a provider. */
function readModels(key: PeerMap, to: string, { findings }: ImportContext): readonly string[] {
  const models = key.maps('provider_configs').flatMap((config) => {
    const provider = config.text('provider');
    const allowed = config.list('allowed_models').map(textOf);
    for (const node of [provider?.node, config.get('allowed_models')])
      if (node) findings.taken(node, `${to} --model`);
    const weight = config.get('weight');
    if (weight)
      findings.changed(weight, 'aliases: weights', 'an alias has the same shares for all keys');
    config.close(PROVIDER_CONFIG);
    if (!provider) return [];
    const isAll = allowed.length === 0 || allowed.includes('*');
    if (isAll) return [`${provider.value}/*`];
    return allowed.flatMap((model) => [model, `${provider.value}/${model}`]);
  });
  return [...new Set(models)];
}

// Organisations and keys live in the store, so an import creates them with commands. The organisation `default` exists
// in every installation and is changed; others are created.

import type { Draft, KeyDraft, OrganizationDraft } from './draft.ts';

/** The arguments of `spillway`. */
export type SetupCommand = readonly string[];

export function setupCommands({ organizations, keys }: Draft): readonly SetupCommand[] {
  return [...[...organizations.values()].flatMap(organizationCommand), ...keys.map(keyCommand)];
}

/** One line for a POSIX shell. */
export function toShell(command: SetupCommand): string {
  return ['spillway', ...command].map(quote).join(' ');
}

function organizationCommand(organization: OrganizationDraft): readonly SetupCommand[] {
  const { id, name, monthlyBudgetUsd, userMonthlyBudgetUsd, maxConcurrent, ...limits } =
    organization;
  const options = [
    ...option('--name', name),
    ...option('--budget', atMost(MAX_USD, monthlyBudgetUsd)),
    ...option('--user-budget', atMost(MAX_USD, userMonthlyBudgetUsd)),
    ...option('--rpm', atMost(MAX_PER_MINUTE, limits.requestsPerMinute)),
    ...option('--tpm', limits.tokensPerMinute),
    ...option('--tpd', limits.tokensPerDay),
    ...option('--max-concurrent', atMost(MAX_PER_MINUTE, maxConcurrent)),
  ];
  if (id !== 'default') return [['orgs', 'create', id, ...options]];
  return options.length === 0 ? [] : [['orgs', 'set', id, ...options]];
}

function keyCommand(key: KeyDraft): SetupCommand {
  return [
    'keys',
    'create',
    ...option('--org', key.organization),
    ...option('--name', key.name),
    ...option('--budget', atMost(MAX_USD, key.monthlyBudgetUsd)),
    ...option('--rpm', atMost(MAX_PER_MINUTE, key.requestsPerMinute)),
    ...option('--expires-at', key.expiresAt),
    ...key.models.flatMap((model) => option('--model', model)),
  ];
}

/** The largest values that the admin API accepts; larger limits would not restrict a caller anyway. */
const MAX_USD = 4_000_000;
const MAX_PER_MINUTE = 1_000_000;

function atMost(most: number, value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.min(value, most);
}

function option(name: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [name, String(value)];
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

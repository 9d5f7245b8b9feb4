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
    ...option('--budget', monthlyBudgetUsd),
    ...option('--user-budget', userMonthlyBudgetUsd),
    ...option('--rpm', limits.requestsPerMinute),
    ...option('--tpm', limits.tokensPerMinute),
    ...option('--tpd', limits.tokensPerDay),
    ...option('--max-concurrent', maxConcurrent),
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
    ...option('--budget', key.monthlyBudgetUsd),
    ...option('--rpm', key.requestsPerMinute),
    ...option('--expires-at', key.expiresAt),
    ...key.models.flatMap((model) => option('--model', model)),
  ];
}

function option(name: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [name, String(value)];
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

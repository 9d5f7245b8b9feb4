// `spillway keys`: the keys of an organisation. A key is printed once, when it is created.

import type { Command } from 'commander';
import { createdKeyView, keyView } from '../../http/schemas/key.ts';
import { type AdminOptions, withAdmin } from '../admin-client.ts';
import { adminCommand, collect, readCount, readTimestamp, readUsd } from '../admin-options.ts';
import { allRows, asList } from '../admin-pages.ts';
import { KEY_SCOPES } from '../allowed-values.ts';
import type { CliContext, RegisterCommand } from '../command.ts';
import { readChoices } from '../read-choice.ts';
import { isoTime, renderTable } from '../table.ts';

type OrgOptions = AdminOptions & { readonly org: string };

type CreateOptions = OrgOptions & {
  readonly name?: string;
  readonly scope?: readonly string[];
  readonly expiresAt?: number;
  readonly diagnostics?: boolean;
  readonly model?: readonly string[];
  readonly budget?: number;
  readonly rpm?: number;
};

export const registerKeys: RegisterCommand = (program, context) => {
  const keys = program.command('keys').description('Create, list and revoke keys of callers');
  describeCreate(keys).action((options: CreateOptions) => create(context, options));
  ofOrganization(adminCommand(keys, 'list', "List an organisation's keys, newest first")).action(
    (options: OrgOptions) => list(context, options),
  );
  ofOrganization(
    adminCommand(keys, 'revoke <keyId>', 'Revoke a key; it stops working at once'),
  ).action((keyId: string, options: OrgOptions) => revoke(context, keyId, options));
};

function ofOrganization(command: Command): Command {
  return command.requiredOption('--org <id>', 'the organisation the key belongs to');
}

function describeCreate(keys: Command): Command {
  return ofOrganization(adminCommand(keys, 'create', 'Create a key and print it once'))
    .option('--name <name>', 'its name in lists')
    .option(
      '--scope <scope>',
      'call, jobs, events, limits:report or metrics; repeatable (default: call, jobs, events)',
      readChoices(KEY_SCOPES),
    )
    .option(
      '--expires-at <time>',
      'epoch milliseconds, ISO time, or a time from now such as +7d',
      readTimestamp,
    )
    .option('--diagnostics', 'add the raw failure to error responses')
    .option('--model <model>', 'a model it may use (default: all); repeatable', collect)
    .option('--budget <usd>', 'a budget of its own, US dollars per month (default: none)', readUsd)
    .option('--rpm <number>', 'requests per minute of its own (default: none)', readCount);
}

async function create(context: CliContext, options: CreateOptions): Promise<void> {
  const { org, name, scope, expiresAt, diagnostics, model, budget, rpm } = options;
  const body = {
    ...(name !== undefined && { name }),
    ...(scope && { scopes: scope }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(diagnostics && { diagnostics }),
    ...(model && { models: model }),
    ...(budget !== undefined && { monthlyBudgetUsd: budget }),
    ...(rpm !== undefined && { requestsPerMinute: rpm }),
  };
  await withAdmin(context, options, async (admin) => {
    const request = {
      method: 'POST',
      path: keysOf(org),
      body,
      errorTexts: unknownOrg(org),
    } as const;
    const created = createdKeyView.parse(await admin.call(request));
    if (options.json) return context.out(JSON.stringify(created, null, 2));
    context.out(`Key ${created.id} of ${org}, shown once:\n\n  ${created.key}\n`);
  });
}

async function list(context: CliContext, options: OrgOptions): Promise<void> {
  await withAdmin(context, options, async (admin) => {
    const { org } = options;
    const keys = await allRows(admin, keyView, keysOf(org), { errorTexts: unknownOrg(org) });
    if (options.json) return context.out(asList(keys));
    if (keys.length === 0)
      return context.out(
        `${org} has no key yet; create one with: spillway keys create --org ${org}`,
      );
    const rows = keys.map((key) => [
      key.id,
      key.name,
      `${key.prefix}…`,
      key.scopes.join(','),
      isoTime(key.expiresAt),
      isoTime(key.revokedAt),
    ]);
    context.out(renderTable(['ID', 'NAME', 'KEY', 'SCOPES', 'EXPIRES', 'REVOKED'], rows));
  });
}

async function revoke(context: CliContext, keyId: string, options: OrgOptions): Promise<void> {
  const { org } = options;
  await withAdmin(context, options, async (admin) => {
    const path = `${keysOf(org)}/${encodeURIComponent(keyId)}`;
    const errorTexts = { NOT_FOUND: `${org} has no key ${keyId}.` };
    await admin.call({ method: 'DELETE', path, errorTexts });
    context.out(
      options.json ? JSON.stringify({ id: keyId, revoked: true }) : `${keyId} is revoked.`,
    );
  });
}

function keysOf(org: string): string {
  return `/admin/orgs/${encodeURIComponent(org)}/keys`;
}

function unknownOrg(org: string): { readonly NOT_FOUND: string } {
  return {
    NOT_FOUND: `There is no organisation ${org}; create it with: spillway orgs create ${org}`,
  };
}

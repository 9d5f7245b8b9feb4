// `spillway orgs`: organisations with their budgets, limits and permissions.

import type { Command } from 'commander';
import type { z } from 'zod';
import { organizationView } from '../../http/schemas/organization.ts';
import { type AdminApi, type AdminOptions, withAdmin } from '../admin-client.ts';
import { adminCommand, collect, orNone, readCount, readUsd } from '../admin-options.ts';
import { allRows, asList } from '../admin-pages.ts';
import { type CliContext, CliFailure, EXIT, type RegisterCommand } from '../command.ts';
import { renderTable } from '../table.ts';

type SetOptions = AdminOptions & {
  readonly name?: string;
  readonly budget?: number;
  readonly userBudget?: number | 'none';
  readonly rpm?: number;
  readonly tpm?: number | 'none';
  readonly tpd?: number | 'none';
  readonly maxConcurrent?: number | 'none';
  readonly locale?: string;
  readonly timeZone?: string;
  readonly message?: readonly string[];
  readonly allowStale?: boolean;
  readonly allowPromptPreview?: boolean;
};

const DEFAULT_ORGANIZATION = 'default';

type DeleteOptions = AdminOptions & { readonly force?: boolean };

type View = z.infer<typeof organizationView>;

export const registerOrgs: RegisterCommand = (program, context) => {
  const orgs = program.command('orgs').description('Create, list, change and delete organisations');
  withSettings(adminCommand(orgs, 'create <id>', 'Create an organisation')).action(
    (id: string, options: SetOptions) => create(context, id, options),
  );
  adminCommand(orgs, 'list', 'List organisations').action((options: AdminOptions) =>
    list(context, options),
  );
  withSettings(
    adminCommand(orgs, 'set <id>', 'Change an organisation; the change takes effect at once'),
  ).action((id: string, options: SetOptions) => change(context, id, options));
  adminCommand(
    orgs,
    'delete <id>',
    'Delete an organisation and revoke its keys; its usage is kept and its id stays taken',
  )
    .option('--force', 'cancel its waiting and running jobs')
    .action((id: string, options: DeleteOptions) => remove(context, id, options));
};

function withSettings(command: Command): Command {
  return command
    .option('--name <name>', 'its display name')
    .option('--budget <usd>', 'US dollars per month (default: 100)', readUsd)
    .option('--user-budget <usd>', 'US dollars per month and user, or none', orNone(readUsd))
    .option('--rpm <number>', 'requests per minute (default: 100)', readCount)
    .option('--tpm <number>', 'tokens per minute, or none', orNone(readCount))
    .option('--tpd <number>', 'tokens per day, or none', orNone(readCount))
    .option('--max-concurrent <number>', 'concurrent requests, or none', orNone(readCount))
    .option('--locale <tag>', 'language of its messages, or none')
    .option('--time-zone <zone>', 'IANA name such as Europe/Istanbul (default: UTC)')
    .option(
      '--message <CODE=text>',
      'its own sentence for an error code; without text the default; repeatable',
      collect,
    )
    .option('--allow-stale', 'allow stale responses while no provider is available')
    .option('--no-allow-stale', 'never return stale responses')
    .option('--allow-prompt-preview', 'logs may show the first 100 characters of prompts')
    .option('--no-allow-prompt-preview', 'logs never show prompts');
}

async function create(context: CliContext, id: string, options: SetOptions): Promise<void> {
  await withAdmin(context, options, async (admin) => {
    const body = { id, ...bodyOf(options, {}) };
    const errorTexts = { CONFLICT: `There is already an organisation ${id}, or there was one.` };
    const answer = await admin.call({ method: 'POST', path: '/admin/orgs', body, errorTexts });
    show(context, options, organizationView.parse(answer), 'is created');
  });
}

async function list(context: CliContext, options: AdminOptions): Promise<void> {
  await withAdmin(context, options, async (admin) => {
    const orgs = await allRows(admin, organizationView, '/admin/orgs');
    context.out(options.json ? asList(orgs) : table(orgs));
  });
}

async function change(context: CliContext, id: string, options: SetOptions): Promise<void> {
  const { json: _json, config: _config, ...given } = options;
  if (Object.keys(given).length === 0)
    throw new CliFailure(
      'Give at least one option; spillway orgs set --help lists them.',
      EXIT.usage,
    );
  await withAdmin(context, options, async (admin) => {
    const path = `/admin/orgs/${encodeURIComponent(id)}`;
    const errorTexts = { NOT_FOUND: `There is no organisation ${id}.` };
    const messages = options.message ? await messagesOf(admin, path, errorTexts) : {};
    const body = bodyOf(options, messages);
    const answer = await admin.call({ method: 'PATCH', path, body, errorTexts });
    show(context, options, organizationView.parse(answer), 'is changed');
  });
}

async function remove(context: CliContext, id: string, options: DeleteOptions): Promise<void> {
  await withAdmin(context, options, async (admin) => {
    const path = `/admin/orgs/${encodeURIComponent(id)}${options.force ? '?force=true' : ''}`;
    const errorTexts = {
      NOT_FOUND: `There is no organisation ${id}.`,
      CONFLICT:
        id === DEFAULT_ORGANIZATION
          ? `The organisation ${id} cannot be deleted: SPILLWAY_API_KEY belongs to it.`
          : `${id} has waiting or running jobs; add --force to cancel them.`,
    };
    await admin.call({ method: 'DELETE', path, errorTexts });
    context.out(options.json ? JSON.stringify({ id, deleted: true }) : `${id} is deleted.`);
  });
}

async function messagesOf(
  admin: AdminApi,
  path: string,
  errorTexts: { readonly NOT_FOUND: string },
): Promise<View['messages']> {
  return organizationView.parse(await admin.call({ method: 'GET', path, errorTexts })).messages;
}

function bodyOf(options: SetOptions, messages: View['messages']): object {
  const { name, timeZone, allowStale, allowPromptPreview } = options;
  const fields = {
    name,
    monthlyBudgetUsd: options.budget,
    userMonthlyBudgetUsd: orNull(options.userBudget),
    requestsPerMinute: options.rpm,
    tokensPerMinute: orNull(options.tpm),
    tokensPerDay: orNull(options.tpd),
    maxConcurrent: orNull(options.maxConcurrent),
    locale: orNull(options.locale),
    timeZone,
    allowStale,
    allowPromptPreview,
    messages: options.message && changedMessages(messages, options.message),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function orNull<T>(value: T | 'none'): T | null {
  return value === 'none' ? null : value;
}

/** Other sentences stay unchanged; an empty text restores the default sentence. */
function changedMessages(known: View['messages'], changes: readonly string[]): View['messages'] {
  const messages = new Map(Object.entries(known));
  for (const change of changes) {
    const [code = '', ...text] = change.split('=');
    if (text.join('=') === '') messages.delete(code);
    else messages.set(code, text.join('='));
  }
  return Object.fromEntries(messages);
}

function show(context: CliContext, options: AdminOptions, view: View, what: string): void {
  if (options.json) return context.out(JSON.stringify(view, null, 2));
  context.out(`${view.id} ${what}.\n\n${table([view])}`);
}

function table(orgs: readonly View[]): string {
  const rows = orgs.map((org) => [
    org.id,
    org.name,
    `$${org.monthlyBudgetUsd}`,
    org.requestsPerMinute,
    org.tokensPerMinute,
    org.maxConcurrent,
    org.locale,
    org.timeZone,
  ]);
  const head = ['ID', 'NAME', 'BUDGET/MONTH', 'RPM', 'TPM', 'AT ONCE', 'LOCALE', 'TIME ZONE'];
  return renderTable(head, rows);
}

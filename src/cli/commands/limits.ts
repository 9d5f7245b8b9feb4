// `spillway limits`: lists, sets and clears provider limits. On embedded storage limits live in the memory of the
// server: without a server there are none.

import { z } from 'zod';
import { limitView } from '../../http/routes/admin-limits.ts';
import { systemClock } from '../../kernel/clock.ts';
import { type AdminApi, type AdminOptions, withAdmin } from '../admin-client.ts';
import { adminCommand, readTimestamp } from '../admin-options.ts';
import { asList } from '../admin-pages.ts';
import { type CliContext, CliFailure, type RegisterCommand } from '../command.ts';
import { isoTime, renderTable } from '../table.ts';

/** Equal to the server's bound. */
const MAX_LIMIT_MS = 32 * 86_400_000;

type ScopeOptions = AdminOptions & { readonly model?: string };
type SetOptions = ScopeOptions & { readonly until: number };

export const registerLimits: RegisterCommand = (program, context) => {
  const limits = program.command('limits').description('List, set and clear provider limits');
  adminCommand(limits, 'list', 'List the provider limits in force').action(
    (options: AdminOptions) => list(context, options),
  );
  adminCommand(
    limits,
    'set <provider> <region>',
    'Stop calls until a timestamp, at most 32 days ahead',
  )
    .requiredOption(
      '--until <time>',
      'epoch milliseconds, ISO time, or a time from now such as +7d',
      readTimestamp,
    )
    .option('--model <model>', 'only this model')
    .action((provider: string, region: string, options: SetOptions) =>
      set(context, { provider, region }, options),
    );
  adminCommand(limits, 'clear <provider> <region>', 'Clear a limit')
    .option('--model <model>', 'only the limit of this model')
    .action((provider: string, region: string, options: ScopeOptions) =>
      clear(context, { provider, region }, options),
    );
};

type ProviderRegion = { readonly provider: string; readonly region: string };

async function list(context: CliContext, options: AdminOptions): Promise<void> {
  await withAdmin(context, options, async (admin) => {
    const limits = admin.isServer ? await limitsOf(admin) : [];
    if (options.json) return context.out(asList(limits));
    if (!admin.isServer) return context.out('No server is running, so no provider is limited.');
    if (limits.length === 0) return context.out('No provider is limited.');
    const rows = limits.map((limit) => [
      limit.provider,
      limit.region,
      limit.model ?? 'all',
      isoTime(limit.resetAt),
      limit.kind,
      limit.setBy,
    ]);
    context.out(renderTable(['PROVIDER', 'REGION', 'MODEL', 'UNTIL', 'KIND', 'SET BY'], rows));
  });
}

async function set(context: CliContext, scope: ProviderRegion, options: SetOptions): Promise<void> {
  const { until, model } = options;
  const body = { resetAt: until, ...(model !== undefined && { model }) };
  await withAdmin(context, options, async (admin) => {
    const server = requireServer(admin);
    requireInRange(until);
    const errorTexts = unknownProvider(scope);
    const request = { method: 'PUT', path: pathOf(scope), body, errorTexts } as const;
    const limit = limitView.parse(await server.call(request));
    if (options.json) return context.out(JSON.stringify(limit, null, 2));
    context.out(`${nameOf(scope, model)} is limited until ${isoTime(limit.resetAt)}.`);
  });
}

async function clear(
  context: CliContext,
  scope: ProviderRegion,
  options: ScopeOptions,
): Promise<void> {
  const { model } = options;
  await withAdmin(context, options, async (admin) => {
    const query = model === undefined ? '' : `?model=${encodeURIComponent(model)}`;
    const path = `${pathOf(scope)}${query}`;
    await requireServer(admin).call({ method: 'DELETE', path, errorTexts: unknownProvider(scope) });
    if (options.json) return context.out(JSON.stringify({ ...scope, model, cleared: true }));
    context.out(`${nameOf(scope, model)} is no longer limited.`);
  });
}

async function limitsOf(admin: AdminApi): Promise<z.infer<typeof limitView>[]> {
  const answer = await admin.call({ method: 'GET', path: '/admin/limits' });
  return z.object({ data: z.array(limitView) }).parse(answer).data;
}

function requireServer(admin: AdminApi): AdminApi {
  if (admin.isServer) return admin;
  throw new CliFailure(
    'No server is running, and limits live in the server; start it with: spillway serve',
  );
}

/** The server shortens a longer limit and ends a past one; here both are mistakes, such as seconds for milliseconds. */
function requireInRange(until: number): void {
  const now = systemClock.now();
  if (until > now && until <= now + MAX_LIMIT_MS) return;
  throw new CliFailure('A limit ends in the future, at most 32 days ahead.');
}

function pathOf({ provider, region }: ProviderRegion): string {
  return `/admin/limits/${encodeURIComponent(provider)}/${encodeURIComponent(region)}`;
}

function nameOf({ provider, region }: ProviderRegion, model: string | undefined): string {
  return [provider, region, ...(model === undefined ? [] : [model])].join('/');
}

function unknownProvider({ provider }: ProviderRegion): { readonly NOT_FOUND: string } {
  return { NOT_FOUND: `There is no provider ${provider} in the configuration.` };
}

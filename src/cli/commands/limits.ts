// `spillway limits`: which providers are held back, and an operator's hand on it. On embedded storage limits live
// in the server's own process: without one there are none.

import { z } from 'zod';
import { limitView } from '../../http/routes/admin-limits.ts';
import { type AdminApi, type AdminOptions, withAdmin } from '../admin-client.ts';
import { adminCommand, readMoment } from '../admin-options.ts';
import { asList } from '../admin-pages.ts';
import { type CliContext, CliFailure, type RegisterCommand } from '../command.ts';
import { isoTime, renderTable } from '../table.ts';

type PlaceOptions = AdminOptions & { readonly model?: string };
type SetOptions = PlaceOptions & { readonly until: number };

export const registerLimits: RegisterCommand = (program, context) => {
  const limits = program.command('limits').description('See, set and clear limits of providers');
  adminCommand(limits, 'list', 'List the limits that hold now').action((options: AdminOptions) =>
    list(context, options),
  );
  adminCommand(limits, 'set <provider> <region>', 'Hold calls back until a moment, 32 days at most')
    .requiredOption('--until <time>', 'epoch milliseconds or ISO time', readMoment)
    .option('--model <model>', 'only this model')
    .action((provider: string, region: string, options: SetOptions) =>
      set(context, { provider, region }, options),
    );
  adminCommand(limits, 'clear <provider> <region>', 'Let calls through again')
    .option('--model <model>', 'only the limit of this model')
    .action((provider: string, region: string, options: PlaceOptions) =>
      clear(context, { provider, region }, options),
    );
};

type Place = { readonly provider: string; readonly region: string };

async function list(context: CliContext, options: AdminOptions): Promise<void> {
  await withAdmin(context, options, async (admin) => {
    const limits = admin.isServer ? await limitsOf(admin) : [];
    if (options.json) return context.out(asList(limits));
    if (!admin.isServer) return context.out('No server is running, so nothing is held back.');
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

async function set(context: CliContext, place: Place, options: SetOptions): Promise<void> {
  const { until, model } = options;
  const body = { resetAt: until, ...(model !== undefined && { model }) };
  await withAdmin(context, options, async (admin) => {
    const sayings = {
      ...unknownProvider(place),
      INVALID_REQUEST: 'A limit ends in the future, at most 32 days ahead.',
    };
    const request = { method: 'PUT', path: pathOf(place), body, sayings } as const;
    const limit = limitView.parse(await requireServer(admin).call(request));
    if (options.json) return context.out(JSON.stringify(limit, null, 2));
    context.out(`${nameOf(place, model)} is held back until ${isoTime(limit.resetAt)}.`);
  });
}

async function clear(context: CliContext, place: Place, options: PlaceOptions): Promise<void> {
  const { model } = options;
  await withAdmin(context, options, async (admin) => {
    const query = model === undefined ? '' : `?model=${encodeURIComponent(model)}`;
    const path = `${pathOf(place)}${query}`;
    await requireServer(admin).call({ method: 'DELETE', path, sayings: unknownProvider(place) });
    if (options.json) return context.out(JSON.stringify({ ...place, model, cleared: true }));
    context.out(`${nameOf(place, model)} is open again.`);
  });
}

async function limitsOf(admin: AdminApi): Promise<z.infer<typeof limitView>[]> {
  const answer = await admin.call({ method: 'GET', path: '/admin/limits' });
  return z.object({ data: z.array(limitView) }).parse(answer).data;
}

function requireServer(admin: AdminApi): AdminApi {
  if (admin.isServer) return admin;
  throw new CliFailure(
    'No server is running, and a limit lives in the server: start it with spillway serve first.',
  );
}

function pathOf({ provider, region }: Place): string {
  return `/admin/limits/${encodeURIComponent(provider)}/${encodeURIComponent(region)}`;
}

function nameOf({ provider, region }: Place, model: string | undefined): string {
  return [provider, region, ...(model === undefined ? [] : [model])].join('/');
}

function unknownProvider({ provider }: Place): { readonly NOT_FOUND: string } {
  return { NOT_FOUND: `There is no provider ${provider} in the configuration.` };
}

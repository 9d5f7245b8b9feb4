// `spillway servers`: lists the servers of the cluster, and drains, maintains and resumes any of them through any of
// them.

import type { z } from 'zod';
import { clusterStatusView, serverModeView } from '../../http/schemas/cluster.ts';
import { type AdminApi, type AdminOptions, withAdmin } from '../admin-client.ts';
import { adminCommand } from '../admin-options.ts';
import { asList } from '../admin-pages.ts';
import { type CliContext, CliFailure, type RegisterCommand } from '../command.ts';
import { renderTable } from '../table.ts';

const ACTIONS = {
  drain: 'Stop the work of a server as SIGTERM does, without ending its process',
  maintenance: 'Route no request of another server to a server; survives its restart',
  resume: 'End the draining or the maintenance of a server',
} as const;

type Action = keyof typeof ACTIONS;

export const registerServers: RegisterCommand = (program, context) => {
  const servers = program.command('servers').description('List, drain and resume servers');
  adminCommand(servers, 'list', 'List the servers of the cluster').action((options: AdminOptions) =>
    list(context, options),
  );
  for (const [action, description] of entriesOf(ACTIONS))
    adminCommand(servers, `${action} <id>`, description).action(
      (id: string, options: AdminOptions) => change(context, action, id, options),
    );
};

async function list(context: CliContext, options: AdminOptions): Promise<void> {
  await withAdmin(context, options, async (admin) => {
    const answer = await requireServer(admin).call({ method: 'GET', path: '/cluster/status' });
    const { servers } = clusterStatusView.parse(answer);
    if (options.json) return context.out(asList(servers));
    const rows = servers.map((server) => [
      server.id,
      rolesOf(server),
      server.region,
      stateOf(server),
      `${server.currentLoad}/${server.maxConcurrentBuilds}`,
      `${Math.round(server.sinceHeartbeatMs / 1000)} s ago`,
      server.url ?? '-',
    ]);
    context.out(renderTable(['ID', 'ROLES', 'REGION', 'STATE', 'LOAD', 'LAST BEAT', 'URL'], rows));
  });
}

async function change(
  context: CliContext,
  action: Action,
  id: string,
  options: AdminOptions,
): Promise<void> {
  await withAdmin(context, options, async (admin) => {
    const path = `/cluster/servers/${encodeURIComponent(id)}/${action}`;
    const errorTexts = { NOT_FOUND: `There is no server ${id} in the cluster.` };
    const answer = await requireServer(admin).call({ method: 'POST', path, errorTexts });
    const changed = serverModeView.parse(answer);
    if (options.json) return context.out(JSON.stringify(changed, null, 2));
    context.out(
      `${changed.id} is ${changed.mode === 'maintenance' ? 'in maintenance' : changed.mode}.`,
    );
  });
}

type Server = z.infer<typeof clusterStatusView>['servers'][number];

function rolesOf({ isGateway, isDispatcher, workers }: Server): string {
  const worked = workers.map(({ provider }) => `worker:${provider}`);
  return [
    ...(isGateway ? ['gateway'] : []),
    ...(isDispatcher ? ['dispatcher'] : []),
    ...worked,
  ].join(' ');
}

function stateOf({ isSuspected, isDraining, isMaintenanceMode, health }: Server): string {
  if (isSuspected) return 'suspected';
  if (isDraining) return 'draining';
  return isMaintenanceMode ? 'maintenance' : health;
}

function requireServer(admin: AdminApi): AdminApi {
  if (admin.isServer) return admin;
  throw new CliFailure('No server is running; start one with: spillway serve');
}

function entriesOf(actions: typeof ACTIONS): readonly [Action, string][] {
  return [
    ['drain', actions.drain],
    ['maintenance', actions.maintenance],
    ['resume', actions.resume],
  ];
}

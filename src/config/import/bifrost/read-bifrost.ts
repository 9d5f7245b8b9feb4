// Bifrost's config.json → spillway.yaml, and commands for the callers of `governance`.

import type { ImportContext } from '../import-context.ts';
import type { PeerMap } from '../peer-map.ts';
import { placeDeployments } from '../place-deployments.ts';
import { CLIENT, COMPAT, GOVERNANCE, PLUGINS, TOP_LEVEL } from './left-out-keys.ts';
import { BudgetTable, RateLimitTable } from './limit-tables.ts';
import { readCallers } from './read-callers.ts';
import { readGovernedLimits } from './read-governed-limits.ts';
import { readProviders } from './read-providers.ts';
import { createFindTarget, readRouting } from './read-routing.ts';

export function readBifrost(root: PeerMap, context: ImportContext): void {
  const governance = root.map('governance');
  const budgets = governance && new BudgetTable(governance, context);
  const rateLimits = governance && new RateLimitTable(governance, context);
  const limits = readGovernedLimits(governance, rateLimits, context);
  const providers = readProviders(root, limits, context);
  const placement = placeDeployments(providers.flatMap(({ deployments }) => deployments));
  for (const provider of placement.providers) context.draft.providers.set(provider.name, provider);
  readRouting(governance, providers, createFindTarget(providers, placement), context);
  if (governance && budgets && rateLimits) {
    readCallers(governance, { budgets, rateLimits }, context);
    budgets.close();
    rateLimits.close();
    governance.close(GOVERNANCE);
  }
  const client = root.map('client');
  if (client) readClient(client, context);
  readPlugins(root, context);
  root.close(TOP_LEVEL);
}

const MIB = 2 ** 20;
const DAY_MS = 86_400_000;

function readClient(client: PeerMap, { draft, findings }: ImportContext): void {
  const size = client.number('max_request_body_size_mb');
  if (size && size.value > 0) {
    draft.set(
      'server.bodyLimitBytes',
      Math.max(1024, Math.min(Math.ceil(size.value * MIB), 128 * MIB)),
    );
    findings.taken(size.node, 'server.bodyLimitBytes');
  }
  const days = client.number('log_retention_days');
  if (days && days.value >= 1) {
    draft.set('retention.usageMs', Math.round(days.value * DAY_MS));
    findings.changed(
      days.node,
      'retention.usageMs',
      'usage records are kept; there is no log of requests',
    );
  }
  const origins = client.get('allowed_origins');
  const listed = (origins?.items ?? []).flatMap(({ scalar }) =>
    typeof scalar === 'string' ? [scalar.trim().toLowerCase().replace(/\/+$/, '')] : [],
  );
  if (origins && listed.length > 0) {
    draft.set('server.corsOrigins', [...new Set(listed)]);
    findings.taken(origins, 'server.corsOrigins');
  }
  const compat = client.map('compat');
  const drops = compat?.boolean('should_drop_params');
  if (drops) {
    draft.dropsFields = drops.value;
    findings.taken(drops.node, 'aliases.*.translate');
  }
  compat?.close(COMPAT);
  client.close(CLIENT);
}

function readPlugins(root: PeerMap, { findings }: ImportContext): void {
  for (const plugin of root.maps('plugins')) {
    const name = plugin.text('name')?.value ?? '';
    findings.leftOut(plugin.node, PLUGINS.get(name) ?? 'Spillway does not run plugins');
  }
}

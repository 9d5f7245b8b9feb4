// LiteLLM's config.yaml → spillway.yaml. Documented in docs/import.md; the keys come from LiteLLM's reference of all
// settings.

import { periodSeconds } from '../amounts.ts';
import type { ImportContext } from '../import-context.ts';
import type { PeerMap } from '../peer-map.ts';
import {
  GENERAL_SETTINGS,
  LITELLM_SETTINGS,
  ROUTER_SETTINGS,
  TOP_LEVEL,
} from './left-out-settings.ts';
import { readBudgets } from './read-budgets.ts';
import { readModelList } from './read-model-list.ts';
import { readReliability } from './read-reliability.ts';
import { readRouting } from './read-routing.ts';

export function readLitellm(root: PeerMap, given: ImportContext): void {
  const context = readVariables(root, given);
  const models = readModelList(root, context);
  const settings = root.map('litellm_settings');
  const router = root.map('router_settings');
  const sections = [settings, router].flatMap((section) => section ?? []);
  readRouting(sections, models, context);
  for (const section of sections) readReliability(section, context);
  if (settings) readBudgets(settings, context);
  const general = root.map('general_settings');
  if (general) readGeneral(general, context);
  settings?.close(LITELLM_SETTINGS);
  router?.close(ROUTER_SETTINGS);
  root.close(TOP_LEVEL);
}

/** `environment_variables`: the names stay, values are never copied; an address among them may be looked up. */
function readVariables(root: PeerMap, context: ImportContext): ImportContext {
  const values = new Map<string, string>();
  for (const { key, node } of root.map('environment_variables')?.entries ?? []) {
    if (typeof node.scalar === 'string') values.set(key, node.scalar);
    context.findings.leftOut(node, 'values of variables are not copied; set it in the environment');
  }
  return { ...context, lookUp: (variable) => values.get(variable) ?? context.lookUp(variable) };
}

const MIB = 2 ** 20;

function readGeneral(general: PeerMap, { draft, findings }: ImportContext): void {
  const concurrent = general.number('global_max_parallel_requests');
  if (concurrent && concurrent.value >= 1) {
    draft.set('cluster.maxConcurrentBuilds', Math.floor(concurrent.value));
    findings.taken(concurrent.node, 'cluster.maxConcurrentBuilds');
  }
  const size = general.number('max_request_size_mb');
  if (size && size.value > 0) {
    draft.set(
      'server.bodyLimitBytes',
      Math.max(1024, Math.min(Math.ceil(size.value * MIB), 128 * MIB)),
    );
    findings.taken(size.node, 'server.bodyLimitBytes');
  }
  const retention = general.text('maximum_spend_logs_retention_period');
  const seconds = retention && periodSeconds(retention.value);
  if (retention && seconds) {
    draft.set('retention.usageMs', seconds * 1000);
    findings.taken(retention.node, 'retention.usageMs');
  }
  const hosts = general.get('user_url_allowed_hosts');
  if (hosts)
    findings.leftOut(hosts, 'set egress.allowHosts to private hosts of images and callbacks');
  general.close(GENERAL_SETTINGS);
}

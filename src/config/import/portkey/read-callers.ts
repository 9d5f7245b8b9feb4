// Callers of Portkey: a workspace becomes an organisation, an API key becomes a key of it with its budget and limit.

import type { ImportContext } from '../import-context.ts';
import type { PeerMap } from '../peer-map.ts';
import { API_KEY, WORKSPACE } from './left-out-keys.ts';
import { readRateLimits, readUsageLimits } from './read-limits.ts';

export function readCallers(document: PeerMap, context: ImportContext): void {
  const workspaces = new Set<string>();
  for (const workspace of document.maps('workspaces')) {
    const id = readWorkspace(workspace, context);
    if (id !== undefined) workspaces.add(id);
  }
  for (const key of document.maps('api_keys')) readApiKey(key, workspaces, context);
}

function readWorkspace(workspace: PeerMap, context: ImportContext): string | undefined {
  const { draft, findings } = context;
  const slug = workspace.text('slug') ?? workspace.text('id');
  if (!slug) {
    findings.leftOut(workspace.node, 'it has no slug');
    return undefined;
  }
  const id = organizationId(slug.value);
  const to = `orgs create ${id}`;
  const name = workspace.text('name');
  const budget = readUsageLimits(workspace, to, context);
  const limits = readRateLimits(
    workspace,
    to,
    ['requestsPerMinute', 'tokensPerMinute', 'tokensPerDay'],
    context,
  );
  draft.organization(id, {
    ...(name && { name: name.value.slice(0, 200) }),
    ...(budget !== undefined && { monthlyBudgetUsd: budget }),
    ...limits,
  });
  for (const read of [slug, name]) if (read) findings.taken(read.node, to);
  workspace.close(WORKSPACE);
  return id;
}

function readApiKey(key: PeerMap, workspaces: ReadonlySet<string>, context: ImportContext): void {
  const { draft, findings } = context;
  const workspace = key.text('workspace_id');
  const id = organizationId(workspace?.value ?? '');
  const organization = workspaces.has(id) ? id : 'default';
  const to = `keys create --org ${organization}`;
  const name = key.text('name');
  const budget = readUsageLimits(key, to, context);
  const limits = readRateLimits(key, to, ['requestsPerMinute'], context);
  const expires = key.text('expires_at');
  draft.keys.push({
    organization,
    name: name?.value.slice(0, 200) ?? 'imported',
    models: [],
    ...(budget !== undefined && { monthlyBudgetUsd: budget }),
    ...(limits.requestsPerMinute !== undefined && { requestsPerMinute: limits.requestsPerMinute }),
    ...(expires && { expiresAt: expires.value }),
  });
  for (const read of [name, expires]) if (read) findings.taken(read.node, to);
  if (workspace && organization !== 'default') findings.taken(workspace.node, to);
  else if (workspace)
    findings.changed(workspace.node, to, 'the file does not describe this workspace');
  key.close(API_KEY);
}

/** 1 to 64 letters, digits, dots, dashes or underscores. */
function organizationId(text: string): string {
  return text.replaceAll(/[^\w.-]+/g, '-').slice(0, 64);
}

// The text that a ready server prints: its address, its data folder, and a working request. A key is printed only at the
// start that generated it: the output of later starts is often stored in logs, so it names the file of the key instead.

import { join } from 'node:path';
import type { KeySource } from '../app/identity.ts';

export type ReadyFacts = {
  readonly role: string;
  /** Absent for a role that does not listen. */
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  readonly apiKeySource: KeySource;
  /** SPILLWAY_ADMIN_KEY is set; otherwise the admin key is in the data folder. */
  readonly isAdminKeyConfigured: boolean;
  readonly dataDir: string;
  /** The providers with a key that this server calls; undefined: the simulator stands in for all of them. */
  readonly providers: readonly string[] | undefined;
};

export function readyText(facts: ReadyFacts): string {
  const { role, url, apiKey, dataDir, providers } = facts;
  const isGateway = role === 'serve' || role === 'gateway';
  const lines = [
    `${isGateway ? 'Spillway' : `The ${role}`} is ready${url === undefined ? '' : ` on ${url}`}`,
    '',
  ];
  if (isGateway) lines.push(`  Dashboard   ${url}/`, `  Admin key   ${adminKeyLocation(facts)}`);
  lines.push(`  Data        ${dataDir}`);
  if (providers === undefined)
    lines.push('  Providers   the built-in simulator, because no provider key is set');
  else if (providers.length > 0) lines.push(`  Providers   ${providers.join(', ')}`);
  if (role === 'serve' && url !== undefined && apiKey !== undefined) {
    lines.push(`  API key     ${apiKeyLocation(facts)}`);
    lines.push('', 'Try it:', '', curl(url, keyArgument(facts, apiKey)));
  }
  return `${lines.join('\n')}\n`;
}

function adminKeyLocation({ isAdminKeyConfigured, dataDir }: ReadyFacts): string {
  return isAdminKeyConfigured ? 'SPILLWAY_ADMIN_KEY' : `stored in ${join(dataDir, 'admin-key')}`;
}

function apiKeyLocation({ apiKeySource, dataDir }: ReadyFacts): string {
  const file = join(dataDir, 'api-key');
  switch (apiKeySource) {
    case 'configured':
      return 'SPILLWAY_API_KEY';
    case 'generated':
      return `new, stored in ${file}`;
    case 'stored':
      return `stored in ${file}`;
  }
}

/** The header of the request, as an argument of a shell command. */
function keyArgument({ apiKeySource, dataDir }: ReadyFacts, apiKey: string): string {
  switch (apiKeySource) {
    case 'configured':
      return '"x-api-key: $SPILLWAY_API_KEY"';
    case 'generated':
      return `'x-api-key: ${apiKey}'`;
    case 'stored':
      return `"x-api-key: $(cat '${join(dataDir, 'api-key')}')"`;
  }
}

function curl(url: string, keyHeader: string): string {
  return [
    `  curl ${url}/v1/messages \\`,
    `    -H ${keyHeader} \\`,
    "    -H 'content-type: application/json' \\",
    `    -d '{"model":"claude-sonnet-5-5","max_tokens":100,"messages":[{"role":"user","content":"Hello"}]}'`,
  ].join('\n');
}

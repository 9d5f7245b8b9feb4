// The text that a ready server prints: its address, its data folder, and a working request.

export type ReadyFacts = {
  readonly role: string;
  /** Absent for a role that does not listen. */
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  readonly dataDir: string;
  /** The providers with a key that this server calls; undefined: the simulator stands in for all of them. */
  readonly providers: readonly string[] | undefined;
};

export function readyText({ role, url, apiKey, dataDir, providers }: ReadyFacts): string {
  const isGateway = role === 'serve' || role === 'gateway';
  const lines = [
    `${isGateway ? 'Spillway' : `The ${role}`} is ready${url === undefined ? '' : ` on ${url}`}`,
    '',
  ];
  if (isGateway) lines.push(`  Start page  ${url}/`);
  lines.push(`  Data        ${dataDir}`);
  if (providers === undefined)
    lines.push('  Providers   the built-in simulator, because no provider key is set');
  else if (providers.length > 0) lines.push(`  Providers   ${providers.join(', ')}`);
  if (role === 'serve' && url !== undefined && apiKey !== undefined) {
    lines.push('', 'Try it:', '', curl(url, apiKey));
  }
  return `${lines.join('\n')}\n`;
}

function curl(url: string, apiKey: string): string {
  return [
    `  curl ${url}/v1/messages \\`,
    `    -H 'x-api-key: ${apiKey}' \\`,
    "    -H 'content-type: application/json' \\",
    `    -d '{"model":"claude-sonnet-5-5","max_tokens":100,"messages":[{"role":"user","content":"Hello"}]}'`,
  ].join('\n');
}

// What a person reads when the server is ready: where it is, a request that works as it stands, where data is.

export type ReadyFacts = {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly dataDir: string;
  readonly simulatorUrl: string | undefined;
};

export function readyText({ url, apiKey, dataDir, simulatorUrl }: ReadyFacts): string {
  const lines = [
    `Spillway is ready on ${url}`,
    '',
    `  Dashboard  ${url}/`,
    `  Data       ${dataDir}`,
  ];
  if (simulatorUrl !== undefined) {
    lines.push(
      `  Providers  the built-in simulator (${simulatorUrl}), because no provider key is set`,
    );
  }
  if (apiKey !== undefined) lines.push('', 'Try it:', '', curl(url, apiKey));
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

// The gateway under /ai in an existing server, next to the application's routes. Without a provider key the built-in
// simulator answers.

import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway } from 'spillway';

const gateway = await createGateway({
  settings: { storage: { dataDir: mkdtempSync(join(tmpdir(), 'example-')) } },
  log: 'silent',
});
const spillway = gateway.handler('/ai');
const server = createServer((request, response) => {
  if (spillway(request, response)) return;
  response.end('the shop');
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const { port } = server.address() as { port: number };

const shop = await fetch(`http://127.0.0.1:${port}/`);
console.log(await shop.text());
const answer = await fetch(`http://127.0.0.1:${port}/ai/v1/messages`, {
  method: 'POST',
  headers: { 'x-api-key': gateway.apiKey ?? '', 'content-type': 'application/json' },
  body: JSON.stringify({
    model: 'claude-sonnet-5-5',
    max_tokens: 20,
    messages: [{ role: 'user', content: 'Hello' }],
  }),
});
const { content } = (await answer.json()) as { content: { type: string }[] };
console.log(answer.status, content[0]?.type);

// First the gateway, which waits for its requests; then the server of the application.
await gateway.close();
server.close();
server.closeAllConnections();

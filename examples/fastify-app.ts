// A Fastify application whose own route runs only while its model has capacity. When the provider reports a limit, callers
// of the route get the code, a sentence and the time to come back.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { spillway } from 'spillway/fastify';

const app = Fastify();
await app.register(spillway, {
  settings: { storage: { dataDir: mkdtempSync(join(tmpdir(), 'example-')) } },
  log: 'silent',
  mount: '/ai',
});
app.post(
  '/summaries',
  { config: { spillway: { model: 'claude-sonnet-5-5' } } },
  async (request) => ({
    summary: 'Short.',
    organization: request.spillway?.organizationId,
  }),
);
const url = await app.listen({ host: '127.0.0.1', port: 0 });

const summarise = () => fetch(`${url}/summaries`, { method: 'POST' });
const served = await summarise();
console.log(served.status, await served.json());

// An operator, or any call that meets the limit, tells the gateway; from then on no request is wasted on it.
await fetch(`${url}/ai/admin/limits/anthropic/us-east`, {
  method: 'PUT',
  headers: {
    authorization: `Bearer ${app.spillway.adminKey}`,
    'content-type': 'application/json',
  },
  body: JSON.stringify({ resetAt: Date.now() + 600_000 }),
});
const refused = await summarise();
const { error } = (await refused.json()) as { error: { code: string } };
console.log(refused.status, error.code, Number(refused.headers.get('retry-after')) > 500);
await app.close();

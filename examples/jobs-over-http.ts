// A job from its submission to its result. The gateway has accepted it once it is durable; it runs as soon as its provider
// allows.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway } from 'spillway';

const gateway = await createGateway({
  settings: {
    storage: { dataDir: mkdtempSync(join(tmpdir(), 'example-')) },
    server: { port: 0 },
  },
  log: 'silent',
});
const url = await gateway.listen();
const headers = {
  authorization: `Bearer ${gateway.apiKey}`,
  'content-type': 'application/json',
};

const accepted = await fetch(`${url}/v1/jobs`, {
  method: 'POST',
  headers,
  body: JSON.stringify({ id: 'order-4711', model: 'gemini-2.5-flash', prompt: 'Hello' }),
});
console.log(accepted.status, accepted.headers.get('location'));

// The events of a job stream until it has ended; a reader that lost its connection resumes with Last-Event-ID.
const events = await fetch(`${url}/v1/jobs/order-4711/events`, { headers });
await events.text();
const job = await fetch(`${url}/v1/jobs/order-4711`, { headers });
const { status } = (await job.json()) as { status: string };
console.log(status);
await gateway.close();

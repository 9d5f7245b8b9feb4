// Submits one job to a server that also runs workers, and waits for its end.

import type { Caller } from '../gateway/call-rig.ts';
import { until } from '../stores/redis-rig.ts';

/** The final status of the job. */
export async function runJob({ url, apiKey }: Caller): Promise<unknown> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'gpt-5-mini', prompt: 'Hello' });
  const made = await fetch(`${url}/v1/jobs`, { method: 'POST', headers, body });
  const { id } = await made.json();
  let status: unknown;
  await until(async () => {
    const answer = await fetch(`${url}/v1/jobs/${id}`, { headers });
    ({ status } = await answer.json());
    return status === 'succeeded' || status === 'failed';
  });
  return status;
}

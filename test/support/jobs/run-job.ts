// Submits one job to a server that also runs workers, and waits for its end.

import { z } from 'zod';
import type { Caller } from '../gateway/call-rig.ts';
import { until } from '../stores/redis-rig.ts';

const Job = z.object({ id: z.string(), status: z.string() });

/** The final status of the job. */
export async function runJob({ url, apiKey }: Caller): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'gpt-5-mini', prompt: 'Hello' });
  const made = await fetch(`${url}/v1/jobs`, { method: 'POST', headers, body });
  const { id } = Job.parse(await made.json());
  let status = '';
  await until(async () => {
    const answer = await fetch(`${url}/v1/jobs/${id}`, { headers });
    ({ status } = Job.parse(await answer.json()));
    return status === 'succeeded' || status === 'failed';
  });
  return status;
}

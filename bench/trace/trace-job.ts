// A request of a trace as a job: what is handed in, and the fingerprint under which its call stands in the provider's truth
// log. The trace has sizes and no words, so the words are filler of that size. Pure; callers and judge both use it.

import { hash } from 'node:crypto';
import { MODEL } from '../programs/fixed-answers.ts';
import type { TracedRequest } from './request-trace.ts';

export type TraceJob = { readonly id: string; readonly body: string; readonly digest: string };

/** As the simulator counts. */
const BYTES_PER_TOKEN = 4;

/** `run` keeps the jobs of one replay apart from those of another in the same store. */
export function traceJob(run: string, index: number, traced: TracedRequest): TraceJob {
  const id = `${run}-${index}`;
  const content = `Job ${id} `.padEnd(traced.contextTokens * BYTES_PER_TOKEN, 'word ');
  const request = {
    max_tokens: Math.max(1, traced.generatedTokens),
    messages: [{ role: 'user', content }],
  };
  return {
    id,
    body: JSON.stringify({ id, model: MODEL, format: 'anthropic', request }),
    digest: hash('sha256', JSON.stringify({ ...request, model: MODEL }), 'hex'),
  };
}

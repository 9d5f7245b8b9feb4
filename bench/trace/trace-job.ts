// A trace request as a job: the submitted body, and the fingerprint of its call in the provider's truth log. The trace
// has sizes without text, so the text is filler of that size. Pure; callers and judge share it.

import { hash } from 'node:crypto';
import { MODEL } from '../programs/fixed-answers.ts';
import type { TracedRequest } from './request-trace.ts';

export type TraceJob = { readonly id: string; readonly body: string; readonly digest: string };

/** Bytes per token, as the simulator counts. */
const BYTES_PER_TOKEN = 4;

/** `run` separates the jobs of replays that share a store. */
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

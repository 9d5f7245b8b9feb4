// A job's queue message: a pointer with the fence under which it was published. A pointer with another fence than
// the job's is outdated, and its consumer drops it.

import type { MessageSource, QueueMessage } from '../ports/job-queue.ts';
import type { Job } from './job.ts';
import { isFinal } from './job-state.ts';

export type JobPointer = { readonly jobId: string; readonly fence: number };

/** The pointer to the job as it is now. The same job at the same fence gives the same message. */
export function messageFor(
  job: Pick<Job, 'id' | 'fence' | 'origin' | 'priority' | 'organizationId'>,
): QueueMessage {
  const { id, fence } = job;
  const message = { id: `${id}.${fence}`, body: JSON.stringify({ spillwayJob: id, fence }) };
  // Jobs of other systems keep their order; jobs of callers wait in their organisation's tenant queue.
  if (job.origin === 'queue') return message;
  return { ...message, tenant: job.organizationId, priority: job.priority };
}

/** The foreign message itself, with the pointer beside it; undefined if the job has none, such as a caller's. */
export function carriedMessageFor(
  { id: jobId, fence, publicId }: Pick<Job, 'id' | 'fence' | 'publicId'>,
  source: MessageSource | undefined,
): QueueMessage | undefined {
  return source && { id: publicId, body: '', carries: { source, jobId, fence } };
}

/** The queue for pointers beside a provider queue that foreign workers consume too: they could not read a pointer. */
export function pointersQueueOf(providerQueue: string): string {
  return `${providerQueue}-pointers`;
}

/** The delay of a waiting job's message. */
export function delayMsOf(job: Pick<Job, 'runAt' | 'state'>, now: number): number {
  return isFinal(job.state) ? 0 : Math.max(0, job.runAt - now);
}

/** Undefined if the body is anything else, such as another system's message. */
export function parsePointer(body: unknown): JobPointer | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if (!('spillwayJob' in body) || !('fence' in body)) return undefined;
  const { spillwayJob, fence } = body;
  if (typeof spillwayJob !== 'string' || typeof fence !== 'number') return undefined;
  return { jobId: spillwayJob, fence };
}

/** `parsePointer` for the text of a delivery. */
export function readPointer(body: string): JobPointer | undefined {
  try {
    return parsePointer(JSON.parse(body));
  } catch {
    return undefined;
  }
}

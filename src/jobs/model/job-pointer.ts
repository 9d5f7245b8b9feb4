// What is put on a queue for a job: not the job but a pointer to it, with the fence under which it was
// published. A pointer whose fence is not the job's any more is a stale copy and is dropped.

import type { QueueMessage } from '../ports/job-queue.ts';
import type { Job } from './job.ts';
import { isFinal } from './job-state.ts';

export type JobPointer = { readonly jobId: string; readonly fence: number };

/** The message that stands for the job as it is now. The same job at the same fence is the same message. */
export function messageFor(
  job: Pick<Job, 'id' | 'fence' | 'origin' | 'priority' | 'organizationId'>,
): QueueMessage {
  const { id, fence } = job;
  const message = { id: `${id}.${fence}`, body: JSON.stringify({ spillwayJob: id, fence }) };
  // Messages of other systems keep their order; those of callers wait fairly, organisation beside organisation.
  if (job.origin === 'queue') return message;
  return { ...message, lane: job.organizationId, priority: job.priority };
}

/** How long the message of a waiting job has to be held back. */
export function delayMsOf(job: Pick<Job, 'runAt' | 'state'>, now: number): number {
  return isFinal(job.state) ? 0 : Math.max(0, job.runAt - now);
}

/** Undefined when the body is something else: a message from outside, or nothing that can be read. */
export function parsePointer(body: unknown): JobPointer | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if (!('spillwayJob' in body) || !('fence' in body)) return undefined;
  const { spillwayJob, fence } = body;
  if (typeof spillwayJob !== 'string' || typeof fence !== 'number') return undefined;
  return { jobId: spillwayJob, fence };
}

/** The same of a body as it was delivered. */
export function readPointer(body: string): JobPointer | undefined {
  try {
    return parsePointer(JSON.parse(body));
  } catch {
    return undefined;
  }
}

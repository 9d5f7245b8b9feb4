// Submits a job. The job, its first event and its message commit in one transaction, so the caller may be answered 202
// once this resolves. Submitting an id that the organisation has used before finds the existing job.

import type { Clock } from '../../kernel/clock.ts';
import type { EgressRule } from '../../kernel/egress-rule.ts';
import type { NewId } from '../../kernel/ids.ts';
import { requireCallable } from '../callbacks/callback-url.ts';
import type { Job, JobOrigin } from '../model/job.ts';
import {
  DEFAULT_PRIORITY,
  type JobMessage,
  type NativeCall,
  parseJobMessage,
} from '../model/job-message.ts';
import { delayMsOf, messageFor } from '../model/job-pointer.ts';
import type { JobStore } from '../ports/job-store.ts';

export type SubmitParts = {
  readonly store: Pick<JobStore, 'create'>;
  readonly rawQueue: string;
  readonly clock: Clock;
  readonly newId: NewId;
  /** The addresses that callbacks may use; absent where callbacks are not sent. */
  readonly egress?: EgressRule;
};

/** The caller, taken from its key and request and never from the message. */
export type Submitter = {
  readonly organizationId: string;
  readonly keyId?: string | undefined;
  readonly userId?: string | undefined;
  /** The category of the job's usage records. */
  readonly category?: string | undefined;
  readonly requestId?: string | undefined;
  readonly locale?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly traceParent?: string | undefined;
  readonly native?: NativeCall | undefined;
};

export type SubmitJob = (
  fields: unknown,
  submitter: Submitter,
) => Promise<{ readonly job: Job; readonly isNew: boolean }>;

/** Throws INVALID_REQUEST for a wrong field. */
export function createSubmitJob(parts: SubmitParts): SubmitJob {
  const { store, rawQueue, clock, newId } = parts;
  return async (fields, submitter) => {
    const { organizationId: _, ...parsed } = parseJobMessage(fields);
    if (parts.egress) requireCallable(parsed.callbackUrl, parts.egress);
    const { native, category } = submitter;
    const message = { ...parsed, ...(native && { native }), ...(category && { category }) };
    const job = newJob({ message, submitter, origin: 'http', queue: rawQueue }, newId, clock.now());
    const delayMs = delayMsOf(job, clock.now());
    return store.create(job, message, [{ queue: rawQueue, message: messageFor(job), delayMs }]);
  };
}

export function newJob(
  given: {
    readonly message: JobMessage;
    readonly submitter: Submitter;
    readonly origin: JobOrigin;
    readonly queue: string;
  },
  newId: NewId,
  now: number,
): Job {
  const { message, submitter, origin, queue } = given;
  const id = newId('job');
  return {
    id,
    publicId: message.id ?? id,
    organizationId: submitter.organizationId,
    origin,
    queue,
    state: 'queued',
    fence: 1,
    run: 0,
    attempts: 0,
    losses: 0,
    priority: message.priority ?? DEFAULT_PRIORITY,
    provider: message.provider,
    model: message.model,
    keyId: submitter.keyId,
    userId: message.userId ?? submitter.userId,
    requestId: submitter.requestId,
    locale: submitter.locale,
    timeZone: submitter.timeZone,
    traceParent: submitter.traceParent,
    callbackUrl: message.callbackUrl,
    metadata: message.metadata,
    deadlineAt: message.deadline,
    runAt: now,
    publishedAt: now,
    createdAt: now,
    updatedAt: now,
  };
}

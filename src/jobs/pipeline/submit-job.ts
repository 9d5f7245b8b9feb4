// Hands in a job. When this resolves the job, its first event and its message are durable, in one transaction:
// the 202 may be given. Handing in the same id again, within an organisation, finds the job that is there.

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
  /** Where callbacks may go; absent where nobody calls back. */
  readonly egress?: EgressRule;
};

/** Who hands it in: from the key and the request, never from the message. */
export type Submitter = {
  readonly organizationId: string;
  readonly keyId?: string | undefined;
  readonly userId?: string | undefined;
  /** Under which the money it spends is listed. */
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

/** Throws INVALID_REQUEST for fields that are wrong. */
export function createSubmitJob(parts: SubmitParts): SubmitJob {
  const { store, rawQueue, clock, newId } = parts;
  return async (fields, submitter) => {
    const { organizationId: _, ...asked } = parseJobMessage(fields);
    if (parts.egress) requireCallable(asked.callbackUrl, parts.egress);
    const { native, category } = submitter;
    const message = { ...asked, ...(native && { native }), ...(category && { category }) };
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

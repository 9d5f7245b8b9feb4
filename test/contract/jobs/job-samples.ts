// A job and a result with every field, for contract tests.

import type { Job, JobResult } from '../../../src/jobs/model/job.ts';
import { NO_USAGE } from '../../../src/kernel/usage.ts';

/** Ids created within one millisecond are not ordered; these are. */
let made = 0;

export function plainJob(given: Partial<Job> = {}): Job {
  made += 1;
  const id = `job_${String(made).padStart(8, '0')}`;
  return {
    id,
    publicId: id,
    organizationId: 'acme',
    origin: 'http',
    state: 'queued',
    fence: 1,
    run: 0,
    attempts: 0,
    losses: 0,
    priority: 5,
    queue: 'raw',
    provider: undefined,
    model: undefined,
    keyId: undefined,
    userId: undefined,
    requestId: undefined,
    locale: undefined,
    timeZone: undefined,
    traceParent: undefined,
    callbackUrl: undefined,
    metadata: undefined,
    waitCode: undefined,
    error: undefined,
    runAt: 1000,
    publishedAt: 1000,
    deadlineAt: undefined,
    leaseOwner: undefined,
    leaseUntil: undefined,
    createdAt: 1000,
    updatedAt: 1000,
    startedAt: undefined,
    finishedAt: undefined,
    ...given,
  };
}

export function plainResult(): JobResult {
  return {
    provider: 'openai',
    model: 'gpt-5',
    output: 'hi\u0000 ☂',
    response: { id: 1 },
    usage: NO_USAGE,
    costNanos: 12,
  };
}

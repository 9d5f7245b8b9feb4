// Converts a job to a row and back.

import type { Insertable, Selectable, Updateable } from 'kysely';
import type { ErrorCode } from '../../../errors/codes.ts';
import type { Job, JobOrigin } from '../../../jobs/model/job.ts';
import type { JobState } from '../../../jobs/model/job-state.ts';
import type { JobChange } from '../../../jobs/ports/job-store.ts';
import type { JobsTable } from '../schema.ts';
import { toNumber, toOptionalNumber } from '../sql-dialect.ts';

/** Fields that the job does not have are undefined and become null. */
export function toJobRow(job: Job, eventCount: number): Insertable<JobsTable> {
  return {
    id: job.id,
    organization_id: job.organizationId,
    public_id: job.publicId,
    origin: job.origin,
    state: job.state,
    fence: job.fence,
    run: job.run,
    attempts: job.attempts,
    losses: job.losses,
    event_count: eventCount,
    priority: job.priority,
    queue: job.queue,
    provider: job.provider,
    model: job.model,
    key_id: job.keyId,
    user_id: job.userId,
    request_id: job.requestId,
    locale: job.locale,
    time_zone: job.timeZone,
    trace_parent: job.traceParent,
    callback_url: job.callbackUrl,
    metadata: job.metadata && JSON.stringify(job.metadata),
    wait_code: job.waitCode,
    error: job.error && JSON.stringify(job.error),
    run_at: job.runAt,
    published_at: job.publishedAt,
    deadline_at: job.deadlineAt,
    lease_owner: job.leaseOwner,
    lease_until: job.leaseUntil,
    created_at: job.createdAt,
    updated_at: job.updatedAt,
    started_at: job.startedAt,
    finished_at: job.finishedAt,
  };
}

/** Kysely omits undefined columns from SET, which are exactly those the move does not change. */
export function toChangedColumns(change: JobChange): Updateable<JobsTable> {
  return {
    run: change.run ?? undefined,
    attempts: change.attempts ?? undefined,
    losses: change.losses ?? undefined,
    queue: change.queue ?? undefined,
    provider: change.provider,
    model: change.model,
    wait_code: change.waitCode,
    error: change.error && JSON.stringify(change.error),
    run_at: change.runAt ?? undefined,
    lease_owner: change.leaseOwner,
    lease_until: change.leaseUntil,
    started_at: change.startedAt,
    finished_at: change.finishedAt,
  };
}

export function toJob(row: Selectable<JobsTable>): Job {
  return {
    id: row.id,
    organizationId: row.organization_id,
    publicId: row.public_id,
    origin: row.origin as JobOrigin,
    state: row.state as JobState,
    fence: toNumber(row.fence),
    run: toNumber(row.run),
    attempts: toNumber(row.attempts),
    losses: toNumber(row.losses),
    priority: toNumber(row.priority),
    queue: row.queue,
    provider: row.provider ?? undefined,
    model: row.model ?? undefined,
    keyId: row.key_id ?? undefined,
    userId: row.user_id ?? undefined,
    requestId: row.request_id ?? undefined,
    locale: row.locale ?? undefined,
    timeZone: row.time_zone ?? undefined,
    traceParent: row.trace_parent ?? undefined,
    callbackUrl: row.callback_url ?? undefined,
    metadata: fromJson(row.metadata) as Job['metadata'],
    waitCode: (row.wait_code as ErrorCode | null) ?? undefined,
    error: fromJson(row.error) as Job['error'],
    runAt: toNumber(row.run_at),
    publishedAt: toNumber(row.published_at),
    deadlineAt: toOptionalNumber(row.deadline_at),
    leaseOwner: row.lease_owner ?? undefined,
    leaseUntil: toOptionalNumber(row.lease_until),
    createdAt: toNumber(row.created_at),
    updatedAt: toNumber(row.updated_at),
    startedAt: toOptionalNumber(row.started_at),
    finishedAt: toOptionalNumber(row.finished_at),
  };
}

export function fromJson(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text);
}

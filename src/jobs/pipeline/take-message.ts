// From a delivery to the job it stands for; dispatcher and worker begin with this. Three things can come out: the
// job, to be worked on; nothing to do, because the message is a stale copy; or a dead letter, because it cannot be
// read. A stale copy of a job that still waits is answered by publishing the job's current message again: that
// heals a crash between a move and its publishing, and costs at most a duplicate, which the fence drops.

import { createHash } from 'node:crypto';
import { SpillwayError, toSpillwayError } from '../../errors/spillway-error.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { NewId } from '../../kernel/ids.ts';
import type { Log } from '../../kernel/log.ts';
import { deadLetterCopy } from '../model/final-message.ts';
import type { Job } from '../model/job.ts';
import { type JobMessage, parseJobMessage } from '../model/job-message.ts';
import { delayMsOf, messageFor, parsePointer } from '../model/job-pointer.ts';
import { isWaiting } from '../model/job-state.ts';
import type { DeadLetter, DeadLetterStore } from '../ports/dead-letter-store.ts';
import type { Delivery, DeliveryOutcome, JobQueue } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';
import type { OrganizationExists } from './known-organizations.ts';
import type { RecentJobs } from './recent-jobs.ts';
import { newJob } from './submit-job.ts';

export type TakeParts = {
  readonly store: Pick<JobStore, 'create' | 'find'>;
  readonly queue: Pick<JobQueue, 'publish'>;
  readonly deadLetters: Pick<DeadLetterStore, 'add'>;
  /** Messages of other systems name their organisation; one that does not exist is a dead letter. */
  readonly organizationExists: OrganizationExists;
  readonly defaultOrganizationId: string;
  /** Whether a job made of a message is left to the taker to store, together with its first move. */
  readonly leavesUnstored?: boolean;
  /** Reads what was asked for together with the job; absent where nobody needs it. */
  readonly readMessage?: JobStore['message'];
  /** What this process has just stored itself; absent where nothing is remembered. */
  readonly recent?: Pick<RecentJobs, 'take'> | undefined;
  /** What a message's being on this queue says about its job; absent where nothing. */
  readonly adoptJob?: ((job: Job) => Job) | undefined;
  /** For a message that came before, of a job that waits no more; absent where such a one is simply done with. */
  readonly whenComesAgain?: ((job: Job) => Promise<DeliveryOutcome>) | undefined;
  /** Where copies of dead letters go; absent without a broker. */
  readonly deadLetterQueue?: string | undefined;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
};

export type Taken =
  /**
   * `message`: what was asked for, where it was read. `unstored`: the same, where the job is new and has yet to be
   * stored with it.
   */
  | {
      readonly job: Job;
      readonly message?: JobMessage | undefined;
      readonly unstored?: JobMessage | undefined;
    }
  | { readonly job: undefined; readonly outcome: DeliveryOutcome };

/** A message that was delivered this often has killed whoever touched it. */
const MAX_DELIVERIES = 20;
const DONE: Taken = { job: undefined, outcome: 'ack' };

export async function takeMessage(
  parts: TakeParts,
  queueName: string,
  delivery: Delivery,
): Promise<Taken> {
  const read = await readDelivery(parts, queueName, delivery);
  if (read instanceof SpillwayError) return bury(parts, queueName, delivery, read);
  const { job, fence, message, unstored } = read;
  if (!job) return DONE;
  if (!isWaiting(job.state)) return { job: undefined, outcome: await endOf(parts, job, delivery) };
  if (job.fence === fence) return { job, message, unstored };
  await publishCurrent(parts, job);
  return DONE;
}

async function endOf(
  { whenComesAgain }: TakeParts,
  job: Job,
  { deliveries }: Delivery,
): Promise<DeliveryOutcome> {
  return deliveries > 1 && whenComesAgain ? whenComesAgain(job) : 'ack';
}

/** The job as it is, and the fence that the message was published under. */
type Read = {
  readonly job: Job | undefined;
  readonly fence: number;
  readonly message?: JobMessage | undefined;
  readonly unstored?: JobMessage;
};

/** Gives back what is wrong with the message itself; failures of ours are thrown and tried again. */
async function readDelivery(
  parts: TakeParts,
  queueName: string,
  delivery: Delivery,
): Promise<Read | SpillwayError> {
  if (delivery.deliveries > MAX_DELIVERIES)
    return new SpillwayError('INTERNAL', `delivered ${delivery.deliveries} times`);
  const body = parseJson(delivery.body);
  if (body instanceof SpillwayError) return body;
  const pointer = parsePointer(body);
  if (!pointer) return adopt(parts, queueName, body);
  const { jobId, fence } = pointer;
  const recent = parts.recent?.take(pointer);
  if (recent) return { ...recent, fence };
  const [job, message] = await Promise.all([
    parts.store.find({ id: jobId }),
    parts.readMessage?.(jobId),
  ]);
  return { job, fence, message };
}

/** Makes a job of another system's message. The same id again is the same job. */
async function adopt(
  parts: TakeParts,
  queue: string,
  body: unknown,
): Promise<Read | SpillwayError> {
  const message = parseMessage(body);
  if (message instanceof SpillwayError) return message;
  const organizationId = message.organizationId ?? parts.defaultOrganizationId;
  if (!(await parts.organizationExists(organizationId)))
    return new SpillwayError('NOT_FOUND', 'the message names an unknown organisation');
  const given = { message, submitter: { organizationId }, origin: 'queue', queue } as const;
  const asked = newJob(given, parts.newId, parts.clock.now());
  const job = parts.adoptJob?.(asked) ?? asked;
  if (parts.leavesUnstored) return { job, fence: job.fence, unstored: message };
  const created = await parts.store.create(job, message);
  // Whatever became of the job since, this message is its first one.
  return { job: created.job, fence: job.fence };
}

/** The answer to a stale copy of a job that still waits. */
export async function publishCurrent(
  { queue, clock }: Pick<TakeParts, 'queue' | 'clock'>,
  job: Job,
): Promise<void> {
  await queue.publish(job.queue, messageFor(job), { delayMs: delayMsOf(job, clock.now()) });
}

async function bury(
  parts: TakeParts,
  queueName: string,
  delivery: Delivery,
  error: SpillwayError,
): Promise<Taken> {
  const letter = unreadable(queueName, delivery, error, parts.clock.now());
  await parts.deadLetters.add(letter, deadLetterCopy(letter, parts.deadLetterQueue));
  const metadata = { queue: queueName, code: error.code, reason: error.message };
  parts.log.write({ level: 'warn', type: 'error', message: 'message is a dead letter', metadata });
  return DONE;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    return new SpillwayError('INVALID_REQUEST', 'the message is not JSON', { cause });
  }
}

function parseMessage(body: unknown): JobMessage | SpillwayError {
  try {
    const message = parseJobMessage(body);
    if (message.id !== undefined) return message;
    return new SpillwayError('INVALID_REQUEST', 'the message has no id');
  } catch (thrown) {
    return toSpillwayError(thrown);
  }
}

/** Named after its content: delivered again before the acknowledgement, it is the same dead letter. */
function unreadable(
  queue: string,
  delivery: Delivery,
  error: SpillwayError,
  createdAt: number,
): DeadLetter {
  const digest = createHash('sha256').update(JSON.stringify([queue, delivery.id, delivery.body]));
  return {
    id: `msg_${digest.digest('hex').slice(0, 32)}`,
    queue,
    // PostgreSQL's text cannot hold NUL.
    body: delivery.body.replaceAll('\u0000', '\uFFFD'),
    errorCode: error.code,
    errorMessage: error.message,
    attempts: delivery.deliveries,
    createdAt,
  };
}

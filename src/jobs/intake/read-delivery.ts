// Reads a delivery: a pointer to a job, in its body or beside another system's message, another system's message alone,
// or a body that cannot be read. An unreadable message becomes a dead letter and is acknowledged, so that it does not
// block the queue. Internal errors are thrown, and the queue delivers the message again.

import { createHash } from 'node:crypto';
import { SpillwayError, toSpillwayError } from '../../errors/spillway-error.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { NewId } from '../../kernel/ids.ts';
import { isNestedTooDeeply } from '../../kernel/json-depth.ts';
import type { Log } from '../../kernel/log.ts';
import { deadLetterCopy } from '../model/final-messages.ts';
import type { Job } from '../model/job.ts';
import type { JobMessage } from '../model/job-message.ts';
import { delayMsOf, type JobPointer, messageFor, parsePointer } from '../model/job-pointer.ts';
import type { DeadLetter, DeadLetterStore } from '../ports/dead-letter-store.ts';
import type { Delivery, JobQueue } from '../ports/job-queue.ts';
import { fieldsInBody } from './fields-in-body.ts';
import type { OrganizationExists } from './known-organizations.ts';
import { logDeadLetter } from './log-dead-letter.ts';
import { createReadRawMessage, type ReadRawMessage } from './raw-message.ts';
import { newJob } from './submit-job.ts';

export type IntakeParts = {
  readonly queue: Pick<JobQueue, 'publish'>;
  readonly deadLetters: Pick<DeadLetterStore, 'add'>;
  /** Other systems' messages name an organisation; an unknown one makes the message a dead letter. */
  readonly organizationExists: OrganizationExists;
  readonly defaultOrganizationId: string;
  /** The queue for copies of dead letters; absent without a broker. */
  readonly deadLetterQueue?: string | undefined;
  /** Reads other systems' messages; by default under Spillway's own field names. */
  readonly readRawMessage?: ReadRawMessage | undefined;
  /** The trace of a received message, with the sender's as its parent; absent where traces are not exported. */
  readonly startTrace?: ((queue: string, parent: string | undefined) => string) | undefined;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
};

export type ReadDelivery =
  /** `isCarried`: the body is the foreign message, which can replace an unknown job. */
  | { readonly kind: 'pointer'; readonly pointer: JobPointer; readonly isCarried: boolean }
  | { readonly kind: 'message'; readonly message: JobMessage }
  | { readonly kind: 'unreadable'; readonly error: SpillwayError };

/** A message delivered more often is suspected of crashing its consumers. */
const MAX_DELIVERIES = 20;

export function readDelivery(
  parts: Pick<IntakeParts, 'readRawMessage'>,
  delivery: Delivery,
): ReadDelivery {
  const { deliveries, pointer } = delivery;
  if (deliveries > MAX_DELIVERIES)
    return unreadable(new SpillwayError('INTERNAL', `delivered ${deliveries} times`));
  return pointer ? { kind: 'pointer', pointer, isCarried: true } : readBody(parts, delivery);
}

/** The body alone, for a message with a pointer to an unknown job. */
export function readBody(
  { readRawMessage = readPlainMessage }: Pick<IntakeParts, 'readRawMessage'>,
  delivery: Delivery,
): ReadDelivery {
  try {
    const body = parseJson(delivery.body);
    const pointer = parsePointer(body);
    if (pointer) return { kind: 'pointer', pointer, isCarried: false };
    const source = delivery.source ?? { body: delivery.body };
    const message = readRawMessage(body);
    const inBody = fieldsInBody(message, body);
    return { kind: 'message', message: { ...message, source, inBody } };
  } catch (thrown) {
    return unreadable(toSpillwayError(thrown));
  }
}

const readPlainMessage = createReadRawMessage();

function parseJson(text: string): unknown {
  if (isNestedTooDeeply(text))
    throw new SpillwayError('INVALID_REQUEST', 'the message is nested too deeply', {
      params: { problem: 'too_deep' },
    });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SpillwayError('INVALID_REQUEST', 'the message is not JSON', { cause });
  }
}

function unreadable(error: SpillwayError): ReadDelivery {
  return { kind: 'unreadable', error };
}

/** The job for another system's message, not stored yet. */
export async function jobFromMessage(
  parts: IntakeParts,
  queue: string,
  message: JobMessage,
): Promise<Job | SpillwayError> {
  const organizationId = message.organizationId ?? parts.defaultOrganizationId;
  if (!(await parts.organizationExists(organizationId)))
    return new SpillwayError('NOT_FOUND', 'the message names an unknown organisation');
  const traceParent = parts.startTrace?.(queue, traceParentOf(message));
  const submitter = { organizationId, traceParent };
  const given = { message, submitter, origin: 'queue', queue } as const;
  return newJob(given, parts.newId, parts.clock.now());
}

/** The sender's `traceparent`, a header of its message. */
function traceParentOf({ source }: JobMessage): string | undefined {
  const headers = source?.properties?.['headers'];
  if (typeof headers !== 'object' || headers === null) return undefined;
  const value: unknown = Reflect.get(headers, 'traceparent');
  return typeof value === 'string' ? value : undefined;
}

/**
 * Replaces an outdated pointer of a job that still waits. This repairs a crash between a move and its publication, and
 * costs at most a duplicate, which the fence drops.
 */
export function publishPointer(
  { queue, clock }: Pick<IntakeParts, 'queue' | 'clock'>,
  job: Job,
): Promise<void> {
  return queue.publish(job.queue, messageFor(job), { delayMs: delayMsOf(job, clock.now()) });
}

/** A pointer to a job of another store, or to a deleted job: an operator has to see it. */
export function unknownJob({ jobId }: JobPointer): SpillwayError {
  return new SpillwayError('NOT_FOUND', `the message points to the unknown job ${jobId}`);
}

/** Stores the message as a dead letter. */
export async function bury(
  parts: IntakeParts,
  queue: string,
  delivery: Delivery,
  error: SpillwayError,
): Promise<undefined> {
  const letter = deadLetterFor(queue, delivery, error, parts.clock.now());
  await parts.deadLetters.add(letter, deadLetterCopy(letter, parts.deadLetterQueue));
  logDeadLetter(parts.log, letter, error.message);
}

/** The id is a digest of the content: a redelivery before the acknowledgement is the same dead letter. */
function deadLetterFor(
  queue: string,
  delivery: Delivery,
  error: SpillwayError,
  createdAt: number,
): DeadLetter {
  const digest = createHash('sha256').update(JSON.stringify([queue, delivery.id, delivery.body]));
  return {
    id: `msg_${digest.digest('hex').slice(0, 32)}`,
    queue,
    // PostgreSQL's text cannot contain NUL.
    body: delivery.body.replaceAll('\u0000', '\uFFFD'),
    errorCode: error.code,
    errorMessage: error.message,
    attempts: delivery.deliveries,
    createdAt,
  };
}

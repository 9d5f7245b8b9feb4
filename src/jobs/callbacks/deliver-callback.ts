// Delivers callbacks for ended jobs: the job's view, signed, at least once. A 2xx answer completes a callback. After
// any other answer it is retried with growing delays until a day after the job's end. Every delivery reads job, result
// and secret anew, so that a rotated secret applies immediately. A job that was retried after its end gets a callback
// for its next end instead. While the store is unavailable no callback is delivered.

import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { signWebhook } from '../../kernel/notify/webhook-signature.ts';
import { CALLBACK_QUEUE } from '../model/final-messages.ts';
import type { Job } from '../model/job.ts';
import { parsePointer } from '../model/job-pointer.ts';
import { toResultView } from '../model/job-view.ts';
import type { Egress } from '../ports/egress.ts';
import type { JobHistory } from '../ports/job-history.ts';
import type { Consumer, Delivery, DeliveryOutcome, JobQueue } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';

/** The organisation's settings for its callbacks. */
export type CallbackOwner = {
  readonly secret: string;
  readonly messages: Readonly<Record<string, string>>;
};

export type CallbackParts = {
  readonly store: Pick<JobStore, 'find'>;
  readonly history: Pick<JobHistory, 'result'>;
  /** The store's own queues. */
  readonly queue: Pick<JobQueue, 'consume'>;
  readonly egress: Pick<Egress, 'send'>;
  /** Undefined if the organisation does not exist. */
  readonly ownerOf: (organizationId: string) => Promise<CallbackOwner | undefined>;
  readonly clock: Clock;
  readonly log: Log;
};

const CALLBACK_CONCURRENCY = 8;
const CALLBACK_TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 16 * 1024;
const RETRIED_FOR_MS = 86_400_000;
const GONE = 410;

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** The last delay repeats until the day is over. */
const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
] as const;

/** Runs until it is closed; closing finishes the callbacks in progress. */
export function startCallbacks(parts: CallbackParts): Consumer {
  return parts.queue.consume(CALLBACK_QUEUE, { concurrency: CALLBACK_CONCURRENCY }, (delivery) =>
    deliver(parts, delivery),
  );
}

export async function deliver(parts: CallbackParts, delivery: Delivery): Promise<DeliveryOutcome> {
  const job = await jobOf(parts, delivery.body);
  const owner = job && (await parts.ownerOf(job.organizationId));
  if (!job || !owner) return 'ack';
  const outcome = await call(parts, job, owner);
  if (outcome === 'accepted') return 'ack';
  return outcome === 'gone' ? giveUp(parts, job, outcome) : tryLater(parts, job, delivery);
}

/** The ended job; undefined if it has moved since. */
async function jobOf({ store }: CallbackParts, body: string): Promise<Job | undefined> {
  const pointer = parsePointer(JSON.parse(body));
  const job = pointer && (await store.find({ id: pointer.jobId }));
  return job?.fence === pointer?.fence ? job : undefined;
}

async function call(
  parts: CallbackParts,
  job: Job,
  owner: CallbackOwner,
): Promise<'accepted' | 'gone' | 'failed'> {
  const sentAt = parts.clock.now();
  const body = await bodyOf(parts, job, owner, sentAt);
  const signed = signWebhook(owner.secret, { id: callbackId(job), sentAt, body });
  const headers = { ...signed, 'content-type': 'application/json', 'user-agent': 'Spillway' };
  try {
    const { status } = await parts.egress.send({
      url: job.callbackUrl ?? '',
      method: 'POST',
      headers,
      body,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      timeoutMs: CALLBACK_TIMEOUT_MS,
    });
    if (status === GONE) return 'gone';
    return status >= 200 && status < 300 ? 'accepted' : 'failed';
  } catch (thrown) {
    if (thrown instanceof SpillwayError) return 'failed';
    throw thrown;
  }
}

/**
 * The webhook id: the same for every delivery of one end of the job, different if the job ends again. Standard Webhooks
 * forbids dots in it.
 */
function callbackId({ id, fence }: Job): string {
  return `msg_${id}_${fence}`;
}

async function bodyOf(
  { history }: CallbackParts,
  job: Job,
  { messages }: CallbackOwner,
  now: number,
): Promise<string> {
  const { locale = 'en', timeZone = 'UTC', finishedAt = now } = job;
  const result = job.state === 'succeeded' ? await history.result(job.id) : undefined;
  const view = toResultView(job, result, { locale, timeZone, now, overrides: messages });
  return JSON.stringify({
    type: `job.${job.state}`,
    timestamp: new Date(finishedAt).toISOString(),
    ...view,
  });
}

function tryLater(parts: CallbackParts, job: Job, { deliveries }: Delivery): DeliveryOutcome {
  const { clock } = parts;
  const usualMs =
    RETRY_DELAYS_MS[Math.min(deliveries, RETRY_DELAYS_MS.length) - 1] ?? RETRY_DELAYS_MS[0];
  // Jitter: callbacks that failed together are not retried together.
  const retryAfterMs = Math.round(usualMs * (0.9 + 0.2 * clock.random()));
  const retriedUntil = (job.finishedAt ?? job.updatedAt) + RETRIED_FOR_MS;
  if (clock.now() + retryAfterMs > retriedUntil) return giveUp(parts, job, 'failed for a day');
  return { retryAfterMs };
}

function giveUp({ log }: CallbackParts, job: Job, why: string): DeliveryOutcome {
  const metadata = { jobId: job.id, organizationId: job.organizationId, why };
  log.write({ level: 'warn', type: 'error', message: 'callback is not retried', metadata });
  return 'ack';
}

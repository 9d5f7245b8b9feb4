// Releases callers' jobs of one provider from the store to the broker: in their fair order, and no faster than the
// provider's limit admits them and its workers take them. The broker's queue is first in, first out, so only jobs that
// are still on the store can be ordered fairly. While the broker or the limit's counts are unavailable no job is
// released.

import type { Clock } from '../../kernel/clock.ts';
import { readPointer } from '../model/job-pointer.ts';
import { isWaiting } from '../model/job-state.ts';
import type { Consumer, Delivery, DeliveryOutcome, JobQueue } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';
import { createDepthGate, type DepthGate } from './depth-gate.ts';
import { createSequencer, type Ticket } from './sequencer.ts';

export type ReleaseParts = {
  readonly store: Pick<JobStore, 'find'>;
  readonly held: Pick<JobQueue, 'consume'>;
  readonly broker: Pick<JobQueue, 'publish' | 'depth'>;
  readonly queue: string;
  /** True when a slot of the provider's limit is taken; false when the signal is aborted first. */
  readonly waitForSlot: (signal: AbortSignal) => Promise<boolean>;
  /** The maximum number of jobs that wait on the broker for workers, and here for a slot; absent for no bound. */
  readonly maxAhead: number | undefined;
  readonly clock: Clock;
};

const MAX_CONCURRENCY = 16;

export function startRelease(parts: ReleaseParts): Consumer {
  const closing = new AbortController();
  const nextTicket = createSequencer();
  const { broker, queue: name, maxAhead: maxReady, clock } = parts;
  const gate = { queue: broker, name, maxReady, clock };
  const waitForWorkers = createDepthGate(gate, closing.signal);
  const concurrency = Math.min(MAX_CONCURRENCY, parts.maxAhead ?? MAX_CONCURRENCY);
  const consumer = parts.held.consume(parts.queue, { concurrency }, (delivery) => {
    const ticket = nextTicket();
    const passage = { ticket, waitForWorkers, closing: closing.signal };
    return release(parts, delivery, passage).finally(() => ticket.done());
  });
  return {
    close() {
      closing.abort();
      return consumer.close();
    },
  };
}

type Passage = {
  readonly ticket: Ticket;
  readonly waitForWorkers: DepthGate;
  readonly closing: AbortSignal;
};

async function release(
  parts: ReleaseParts,
  delivery: Delivery,
  { ticket, waitForWorkers, closing }: Passage,
): Promise<DeliveryOutcome> {
  const [isWanted] = await Promise.all([isCurrent(parts, delivery), ticket.turn]);
  if (!isWanted) return 'ack';
  const slot = (await waitForWorkers()) && parts.waitForSlot(closing);
  // Slots are given in the order of the requests, so the next job need not wait for this one's.
  ticket.done();
  if (!(await slot)) return { retryAfterMs: 0, isUncounted: true };
  const { id, body } = delivery;
  await parts.broker.publish(parts.queue, { id, body });
  return 'ack';
}

/** False for a job that was cancelled or has moved on: its pointer is outdated. */
async function isCurrent({ store }: ReleaseParts, { body }: Delivery): Promise<boolean> {
  const pointer = readPointer(body);
  // The worker makes a job of a foreign message, or a dead letter.
  if (!pointer) return true;
  const job = await store.find({ id: pointer.jobId });
  return job !== undefined && isWaiting(job.state) && job.fence === pointer.fence;
}

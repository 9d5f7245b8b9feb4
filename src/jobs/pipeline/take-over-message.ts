// Moves jobs from one queue to another that this worker consumes:
//
//   shared provider queue ═▶ pointers queue    a message of the producer becomes a pointer that only Spillway consumes
//   pointers queue ─▶ provider queue           after foreign workers have left, for pointers that are still there
//
// A worker that called a provider for a message of a shared queue and died would leave the message to a foreign worker,
// which calls again. So the message is replaced by a pointer first, in one transaction of the broker, and no worker of
// another system sees the job afterwards. At most `maxReady` pointers wait; all further messages stay with the foreign
// workers.

import type { Clock } from '../../kernel/clock.ts';
import { HANDED_OVER, type Job } from '../model/job.ts';
import { messageFor } from '../model/job-pointer.ts';
import type { Consumer, Delivery, DeliveryOutcome, JobQueue } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';
import { createDepthGate } from './depth-gate.ts';
import { type ProviderMessageParts, takeProviderMessage } from './take-provider-message.ts';

export type TakeOverParts = Omit<ProviderMessageParts, 'publishResult'> & {
  readonly store: Pick<JobStore, 'create' | 'findWithMessage' | 'message' | 'touch'>;
  readonly queue: Pick<JobQueue, 'publish' | 'consume' | 'depth'>;
  readonly clock: Clock;
};

export type TakeOver = {
  readonly from: string;
  readonly to: string;
  readonly concurrency: number;
  /** Whether foreign workers consume `from` too: a copy of a message must not be left there. */
  readonly isShared: boolean;
  /** Pointers that may wait on `to`; absent for no bound. */
  readonly maxReady?: number;
};

export function startTakeOver(parts: TakeOverParts, move: TakeOver): Consumer {
  const closing = new AbortController();
  const { queue, clock, assignProvider } = parts;
  const gate = { queue, name: move.to, maxReady: move.maxReady, clock };
  const waitForWorkers = createDepthGate(gate, closing.signal);
  const own: TakeOverParts = { ...parts, assignProvider: (job) => handedOver(assignProvider, job) };
  const options = { concurrency: move.concurrency, isTransactional: move.isShared };
  const consumer = parts.queue.consume(move.from, options, async (delivery) => {
    const isWanted = await waitForWorkers();
    if (!isWanted) return { retryAfterMs: 0, isUncounted: true };
    return takeOver(own, move, delivery);
  });
  return {
    close() {
      closing.abort();
      return consumer.close();
    },
  };
}

/** Until the broker has replaced the message, a foreign worker may still get it. */
function handedOver(assign: TakeOverParts['assignProvider'], job: Job): Job {
  return { ...(assign?.(job) ?? job), leaseOwner: HANDED_OVER };
}

async function takeOver(
  parts: TakeOverParts,
  { from, to }: TakeOver,
  delivery: Delivery,
): Promise<DeliveryOutcome> {
  const taken = await takeProviderMessage(parts, from, delivery);
  if (taken.kind === 'done') return taken.outcome;
  const { job } = taken;
  const { id, body } = messageFor(job);
  if (delivery.replaceBy) await delivery.replaceBy(to, { id, body });
  else await parts.queue.publish(to, { id, body });
  // Best effort: a worker may have claimed the job already, and its claim records the take-over too.
  const takenOver = { takenOverTo: to, publishedAt: parts.clock.now() };
  if (job.origin === 'queue')
    await parts.store.touch(job.id, job.fence, takenOver).catch(() => false);
  return 'ack';
}

// Metrics of the job queues and of the dead letters. Every dispatcher measures the same queues: read the maximum of all
// servers, not the sum.

import type { QueueDepth } from '../../jobs/ports/job-queue.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Metrics } from '../../kernel/metrics.ts';

export type QueueMetrics = {
  depth(queue: string, depth: QueueDepth): void;
  deadLetters(count: number): void;
};

export function createQueueMetrics(metrics: Metrics, clock: Pick<Clock, 'now'>): QueueMetrics {
  const depth = metrics.gauge(
    'queue.depth',
    'Messages of a queue, by state: ready, delayed or in_flight.',
    ['queue', 'state'],
    '{message}',
  );
  const age = metrics.gauge(
    'queue.oldest.age',
    'Age of the oldest ready message of a queue in seconds; 0 for an empty queue.',
    ['queue'],
    's',
  );
  const letters = metrics
    .gauge('queue.dead_letters', 'Dead letters in the store.', [], '{message}')
    .cell();
  return {
    depth(queue, { ready, delayed, inFlight, oldestAt }) {
      depth.cell(queue, 'ready').value = ready;
      depth.cell(queue, 'delayed').value = delayed;
      depth.cell(queue, 'in_flight').value = inFlight;
      age.cell(queue).value =
        oldestAt === undefined ? 0 : Math.max(0, clock.now() - oldestAt) / 1000;
    },
    deadLetters(count) {
      letters.value = count;
    },
  };
}

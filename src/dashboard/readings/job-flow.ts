// The figures of the flow picture: current counts over all queues, and rates over the last minutes. Pure.

import { addSamples, EMPTY_SAMPLE } from '../../series/sample.ts';
import type { SeriesInterval } from '../../series/series-store.ts';
import type { JobFlow, QueueFigures } from '../api/jobs.ts';

export type FlowParts = {
  readonly queues: readonly QueueFigures[];
  readonly deadLetters: number;
  /** Jobs that run, as the store counts them. */
  readonly running: number;
  readonly recent: readonly SeriesInterval[];
  /** The time that `recent` covers. */
  readonly spanMs: number;
};

export function jobFlow({ queues, deadLetters, running, recent, spanMs }: FlowParts): JobFlow {
  const sum = recent.reduce((all, { sample }) => addSamples(all, sample), EMPTY_SAMPLE);
  const perMinute = (count: number) => Math.round((count / Math.max(1, spanMs)) * 600_000) / 10;
  const total = (name: 'ready' | 'delayed') =>
    queues.reduce((all, queue) => all + (queue[name] ?? 0), 0);
  return {
    waiting: total('ready'),
    delayed: total('delayed'),
    running,
    deadLetters,
    inPerMinute: perMinute(sum.jobsIn),
    delayedPerMinute: perMinute(sum.jobsDelayed),
    outPerMinute: perMinute(sum.jobsOut),
    failedPerMinute: perMinute(sum.jobsFailed),
  };
}

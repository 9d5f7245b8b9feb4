// The size of a run: the full form proves, the short form catches a regression on every change. A scale multiplies jobs
// and kills.

import type { CrewSize } from '../installation/crew.ts';

export type Dose = {
  readonly isShort: boolean;
  readonly jobs: number;
  readonly kills: number;
  /** The processes of the installation. */
  readonly crew: CrewSize;
  /** The provider's limit, in calls per window. */
  readonly perWindow: number;
  readonly windowMs: number;
  /**
   * Added to the provider's window: the longest transit of a call between its permit and its arrival on a machine that
   * also starts processes and recovers databases.
   */
  readonly limitGuardMs: number;
  /** Concurrent jobs per worker. */
  readonly workerConcurrency: number;
  /** Duration of a SIGSTOP. */
  readonly zombieMs: number;
  /** The time after the last fault within which everything must end. */
  readonly patienceMs: number;
};

/** Seconds instead of a minute, so that a row reaches the limit many times. */
const WINDOW_MS = 5_000;
const LIMIT_GUARD_MS = 1_000;
const WORKER_CONCURRENCY = 16;

const FULL = {
  jobs: 10_000,
  kills: 20,
  crew: { gateways: 2, dispatchers: 2, workers: 3 },
  perWindow: 500,
  zombieMs: 20_000,
  patienceMs: 300_000,
};
const SHORT = {
  jobs: 500,
  kills: 3,
  crew: { gateways: 1, dispatchers: 1, workers: 2 },
  perWindow: 200,
  zombieMs: 8_000,
  patienceMs: 120_000,
};

export function doseOf({ isShort, scale }: { isShort: boolean; scale: number }): Dose {
  const usual = isShort ? SHORT : FULL;
  return {
    ...usual,
    isShort,
    windowMs: WINDOW_MS,
    limitGuardMs: LIMIT_GUARD_MS,
    workerConcurrency: WORKER_CONCURRENCY,
    jobs: Math.max(10, Math.round(usual.jobs * scale)),
    kills: Math.max(1, Math.round(usual.kills * scale)),
  };
}

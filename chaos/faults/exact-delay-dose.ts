// The size of the exact-delay rows: eight windows of jobs, of which seven wait, in windows long enough that the guard
// is a small part of them.

import type { Dose } from './dose.ts';

const WINDOWS = 8;

type ExactDelayDose = Pick<Dose, 'perWindow' | 'windowMs' | 'limitGuardMs' | 'workerConcurrency'>;

export function exactDelayDose({ jobs }: Dose): ExactDelayDose {
  return {
    perWindow: Math.ceil(jobs / WINDOWS),
    windowMs: 10_000,
    limitGuardMs: 200,
    workerConcurrency: 64,
  };
}

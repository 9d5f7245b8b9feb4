// The states of a job and the transitions between them. This table is the only definition: job-moves.ts refuses a
// transition that is not in it.
//
//   queued ⇄ delayed      waiting: for its turn, or until its due time
//   queued → running      a worker has claimed it under a lease
//   running → succeeded | failed | cancelled | expired
//   running → delayed     throttled, or failed and to be retried
//   running → queued      its worker's lease expired, or its worker returned it
//   failed → queued       an operator retries a dead letter

export const JOB_STATES = [
  'queued',
  'delayed',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'expired',
] as const;
export type JobState = (typeof JOB_STATES)[number];

export const JOB_TRANSITIONS: Readonly<Record<JobState, readonly JobState[]>> = Object.freeze({
  queued: ['running', 'delayed', 'failed', 'cancelled', 'expired'],
  delayed: ['queued', 'cancelled', 'expired'],
  running: ['succeeded', 'failed', 'delayed', 'queued', 'cancelled', 'expired'],
  succeeded: [],
  failed: ['queued'],
  cancelled: [],
  expired: [],
});

export function canMove(from: JobState, to: JobState): boolean {
  return JOB_TRANSITIONS[from].includes(to);
}

/** The states from `from` to `to`, ending with `to`; undefined if there is no transition. */
export function pathTo(from: JobState, to: JobState): readonly JobState[] | undefined {
  if (canMove(from, to)) return [to];
  // A delayed job that is due passes through `queued` before it runs or fails.
  if (from === 'delayed' && canMove('queued', to)) return ['queued', to];
  return undefined;
}

export function isWaiting(state: JobState): boolean {
  return state === 'queued' || state === 'delayed';
}

export function isFinal(state: JobState): boolean {
  return !isWaiting(state) && state !== 'running';
}

export function isJobState(value: unknown): value is JobState {
  return JOB_STATES.some((state) => state === value);
}

// The states of a job and the ways between them. This table is the one source: a move that is not in it
// cannot be made.
//
//   queued ⇄ delayed      waiting: for its turn, or until a known moment
//   queued → running      a worker has it, under a lease
//   running → succeeded | failed | cancelled | expired
//   running → delayed     throttled, or failed and to be tried again
//   running → queued      its worker was lost, or gave it back
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

/** The states passed through on the way, the last one being `to`; undefined when there is no way. */
export function pathTo(from: JobState, to: JobState): readonly JobState[] | undefined {
  if (canMove(from, to)) return [to];
  // A delayed job that is due is queued again, if only for the moment before it runs or fails.
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

// What an HTTP status means when nothing else says anything.

import type { Decided, Meaning } from './meanings.ts';

/** Whether the status alone says what happened; a 400 or a 500 may be anything. */
export function isTelling(status: number): boolean {
  return STATUSES.has(status);
}

export function decidedByStatus(status: number): Decided {
  const known = DECIDED.get(status);
  if (known !== undefined) return known;
  const decided = { meaning: meaningOfStatus(status), rule: `status: ${status}` };
  DECIDED.set(status, decided);
  return decided;
}

// A pure memo, and bounded: there are four hundred statuses.
const DECIDED = new Map<number, Decided>();

function meaningOfStatus(status: number): Meaning {
  const known = STATUSES.get(status);
  if (known !== undefined) return known;
  if (status >= 500) return 'failed';
  return status >= 400 ? 'invalid' : 'unknown';
}

const STATUSES: ReadonlyMap<number, Meaning> = new Map([
  [401, 'credentials'],
  [402, 'quota'],
  [403, 'credentials'],
  [407, 'credentials'],
  [408, 'slow'],
  [413, 'too_large'],
  [424, 'failed'],
  [425, 'failed'],
  [429, 'throttle'],
  [451, 'policy'],
  [498, 'overloaded'],
  [499, 'aborted'],
  [503, 'overloaded'],
  [504, 'slow'],
  [522, 'connect'],
  [523, 'connect'],
  [524, 'slow'],
  [525, 'failed'],
  [526, 'failed'],
  [529, 'overloaded'],
]);

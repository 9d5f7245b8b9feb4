// The meaning of an HTTP status without further evidence.

import type { Decided, Meaning } from './meanings.ts';

/** Whether the status alone identifies the failure; 400 and 500 do not. */
export function isSpecific(status: number): boolean {
  return STATUSES.has(status);
}

export function decidedByStatus(status: number): Decided {
  const known = DECIDED.get(status);
  if (known !== undefined) return known;
  const decided = { meaning: meaningOfStatus(status), rule: `status: ${status}` };
  DECIDED.set(status, decided);
  return decided;
}

// A memo, bounded by the four hundred possible statuses.
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

// The operator's session as this page knows it. The cookie itself is not readable by scripts.
//
// States: unknown (not asked yet) → signed out ⇄ signed in; unreachable while the server does not answer at the start.

import { signal } from '@preact/signals';

export type SessionState = 'unknown' | 'signed-out' | 'signed-in' | 'unreachable';

export const session = signal<SessionState>('unknown');
/** The session ended while the page was open: the login page says so. */
export const hasSessionEnded = signal(false);

export function endSession(): void {
  if (session.peek() === 'signed-in') hasSessionEnded.value = true;
  session.value = 'signed-out';
}

export function beginSession(): void {
  hasSessionEnded.value = false;
  session.value = 'signed-in';
}

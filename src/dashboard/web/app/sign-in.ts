// Signing in and out, and the question at the start whether the browser has a session.

import { getJson, sendJson } from './api-client.ts';
import { after, followServerTime } from './browser-clock.ts';
import { beginSession, endSession, hasSessionEnded, session } from './session.ts';

type SessionView = { readonly isSignedIn: boolean; readonly version: string; readonly now: number };

const RETRY_MS = 3000;

/**
 * Asks again until the server answers. A page that is signed in stays as it is until then: the server may be restarting, and the
 * top bar says that no events arrive.
 */
export async function readSession(): Promise<void> {
  try {
    const view = await getJson<SessionView>('/dashboard/session');
    followServerTime(view.now);
    if (view.isSignedIn) beginSession();
    else endSession();
  } catch {
    if (session.peek() === 'signed-in') return;
    session.value = 'unreachable';
    after(RETRY_MS, () => void readSession());
  }
}

/** Rejects with an ApiError for a wrong key. */
export async function signIn(key: string): Promise<void> {
  const view = await sendJson<SessionView>('POST', '/dashboard/session', { key });
  followServerTime(view.now);
  beginSession();
}

export async function signOut(): Promise<void> {
  await sendJson('DELETE', '/dashboard/session');
  hasSessionEnded.value = false;
  session.value = 'signed-out';
}

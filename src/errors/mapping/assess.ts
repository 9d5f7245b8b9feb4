// Interprets a reading: the meaning of the failure, and the wait that it states. Pure.

import { decideMeaning } from './meaning/decide.ts';
import { hasWait, isLimitOrThrottle, type Meaning } from './meaning/meanings.ts';
import type { Reading } from './reading/reading.ts';
import type { PhraseMatches } from './text/find-phrases.ts';
import { statedWait } from './waits/find-wait.ts';
import { limitOrThrottle } from './waits/limit-or-throttle.ts';
import { quotaWindow } from './waits/quota-window.ts';
import { NO_WAIT, type Wait } from './waits/wait.ts';

export type AssessContext = {
  readonly provider?: string;
  readonly now?: number;
  readonly timeZone?: string;
};

export type Assessment = { readonly meaning: Meaning; readonly wait: Wait; readonly rule: string };

/** `find` restricts the phrases that count as evidence. */
export function assess(
  reading: Reading,
  context: AssessContext,
  find?: (text: string) => PhraseMatches,
): Assessment {
  const { decided, matches } = decideMeaning(reading, find);
  const { meaning: first, rule } = decided;
  const wait = hasWait(first) ? statedWait(reading, matches.waitEnds, context) : NO_WAIT;
  if (!isLimitOrThrottle(first)) return { meaning: first, wait, rule };
  const window = quotaWindow(reading, matches.phrases, context.provider);
  return { meaning: limitOrThrottle(first, window, wait, context.now), wait, rule };
}

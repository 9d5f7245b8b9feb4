// Whole messages of vendors that state a limit under status 400, which usually reports a mistake of the request, or under
// status 200. A message counts only if it equals a sentence of this table from its first to its last character: a provider
// that quotes a caller adds words of its own. The timestamp is the only part that varies.

import type { Assessment } from '../assess.ts';
import { NO_WAIT } from '../waits/wait.ts';

/** A sentence with a timestamp states a limit, one without it used-up credit. */
export function knownSentence(message: string): Assessment | undefined {
  for (const { rule, pattern, resetAt } of SENTENCES) {
    const match = pattern.exec(message);
    if (!match) continue;
    if (!resetAt) return { rule, meaning: 'quota', wait: NO_WAIT };
    return { rule, meaning: 'limit', wait: { resetAt: resetAt(match[1] ?? '') } };
  }
  return undefined;
}

type Sentence = {
  readonly rule: string;
  readonly pattern: RegExp;
  /** Reads the captured timestamp. */
  readonly resetAt?: (stated: string) => number | undefined;
};

const REGAIN = String.raw`You will regain access on (\d{4}-\d\d-\d\d at \d\d:\d\d) UTC\.`;

const SENTENCES: readonly Sentence[] = [
  {
    rule: 'sentence: anthropic credit balance',
    pattern:
      /^Your credit balance is too low to access the (?:Anthropic|Claude) API\. Please go to Plans & Billing to upgrade or purchase credits\.$/,
  },
  {
    rule: 'sentence: anthropic usage limits',
    pattern: new RegExp(`^You have reached your specified API usage limits\\. ${REGAIN}$`),
    resetAt: fromDateAndMinute,
  },
  {
    rule: 'sentence: anthropic workspace usage limits',
    pattern: new RegExp(
      `^You have reached your specified workspace API usage limits\\. ${REGAIN}$`,
    ),
    resetAt: fromDateAndMinute,
  },
  {
    rule: 'sentence: claude usage limit',
    pattern: /^Claude AI usage limit reached\|(\d{10})$/,
    resetAt: (seconds) => Number(seconds) * 1000,
  },
  {
    rule: 'sentence: openai billing hard limit',
    pattern: /^Billing hard limit has been reached$/,
  },
];

function fromDateAndMinute(stated: string): number | undefined {
  const time = Date.parse(`${stated.replace(' at ', 'T')}:00Z`);
  return Number.isNaN(time) ? undefined : time;
}

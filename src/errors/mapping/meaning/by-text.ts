// The meaning of the text, by the first rule of the table that applies in the situation.

import { type Phrase, type PhraseRule, REACH } from '../text/phrase-book.ts';
import type { Decided } from './meanings.ts';

export type Situation = {
  readonly status: number | undefined;
  /** The provider complains about the request, so its text quotes the caller. */
  readonly isValidation: boolean;
};

export function byText(phrases: readonly Phrase[], situation: Situation): Decided | undefined {
  if (phrases.length === 0) return undefined;
  const completed = completedBy(phrases);
  const found = firstRule(phrases, completed, reachIn(situation));
  // A 429, or a message without a status that names a limit and ends with advice, is about capacity: the
  // advice to shorten the prompt only lowers consumption.
  const { status } = situation;
  const isPerhapsAdvice = status === 429 || (status === undefined && found?.isAdvice === true);
  const aboutCapacity = isPerhapsAdvice ? firstRule(phrases, completed, REACH.capacity) : undefined;
  return (aboutCapacity ?? found)?.decided;
}

/** The two-part rules with a match for their second part. */
function completedBy(phrases: readonly Phrase[]): number {
  let completed = 0;
  for (const { completes } of phrases) completed |= completes;
  return completed;
}

/** Few phrases match and many are known, so the search starts from the matches. */
function firstRule(
  phrases: readonly Phrase[],
  completed: number,
  reachBits: number,
): PhraseRule | undefined {
  let first: PhraseRule | undefined;
  for (const { rules } of phrases) {
    for (const rule of rules) {
      if (first !== undefined && rule.order >= first.order) break;
      const isWhole = rule.needs === 0 || (rule.needs & completed) !== 0;
      if (isWhole && (rule.reachBits & reachBits) !== 0) first = rule;
    }
  }
  return first;
}

function reachIn({ status, isValidation }: Situation): number {
  if (isValidation) return REACH.always;
  const isBare = status === undefined || status < 400;
  const isRefused = status === 402 || status === 403 || status === 429;
  return REACH.always | REACH.open | (isBare ? REACH.bare : 0) | (isRefused ? REACH.refused : 0);
}

// What the text of a failure means, by the first rule of the table that is believed in its situation.

import type { Decided } from '../meanings.ts';
import { BELIEF, type Phrase, type SpokenRule } from './phrase-book.ts';

export type Situation = {
  readonly status: number | undefined;
  /** The provider complains about the request, so its text quotes the caller. */
  readonly isValidation: boolean;
};

export function byText(said: readonly Phrase[], situation: Situation): Decided | undefined {
  if (said.length === 0) return undefined;
  const completed = completedBy(said);
  const found = firstRule(said, completed, beliefIn(situation));
  // Who answers 429, or without a status speaks of a limit and ends with advice, talks about capacity: that
  // the prompt could be shorter would only make room sooner.
  const { status } = situation;
  const isPerhapsAdvice = status === 429 || (status === undefined && found?.isAdvice === true);
  const aboutCapacity = isPerhapsAdvice ? firstRule(said, completed, BELIEF.capacity) : undefined;
  return (aboutCapacity ?? found)?.decided;
}

/** The rules of two halves whose second half is said. */
function completedBy(said: readonly Phrase[]): number {
  let completed = 0;
  for (const { completes } of said) completed |= completes;
  return completed;
}

/** A few phrases are said and many are known: the table is entered from the phrases. */
function firstRule(
  said: readonly Phrase[],
  completed: number,
  belief: number,
): SpokenRule | undefined {
  let first: SpokenRule | undefined;
  for (const { rules } of said) {
    for (const rule of rules) {
      if (first !== undefined && rule.order >= first.order) break;
      const isWhole = rule.needs === 0 || (rule.needs & completed) !== 0;
      if (isWhole && (rule.belief & belief) !== 0) first = rule;
    }
  }
  return first;
}

function beliefIn({ status, isValidation }: Situation): number {
  if (isValidation) return BELIEF.always;
  const isBare = status === undefined || status < 400;
  const isRefused = status === 402 || status === 403 || status === 429;
  return (
    BELIEF.always | BELIEF.open | (isBare ? BELIEF.bare : 0) | (isRefused ? BELIEF.refused : 0)
  );
}

// The one sentence about the whole cluster, with its times in the viewer's time zone. The server sends the parts; the
// server's sentence with UTC times is for programs. The top bar shows as many findings as it has room for, and counts
// the rest.

import type { OverallState } from '../../api/findings.ts';
import { nearTimeText } from '../charts/figure-text.ts';

export type FittedSentence = {
  readonly text: string;
  /** Findings that the text leaves out. */
  readonly more: number;
};

const MORE_CHARACTERS = ', and 99 more'.length;

export function sentenceOf(state: OverallState, now: number, timeZone?: string): string {
  return asSentence(partTexts(state, now, timeZone)) || state.sentence;
}

/** The first finding is always part of the text. */
export function fitSentence(
  state: OverallState,
  findings: number,
  maxCharacters: number,
  now: number,
  timeZone?: string,
): FittedSentence {
  const whole = sentenceOf(state, now, timeZone);
  if (findings === 0) return { text: whole, more: 0 };
  const parts = partTexts(state, now, timeZone);
  // Besides findings the parts contain the number of waiting jobs, and the last part the number of findings left out.
  const hasAll = parts.length > findings;
  if (hasAll && whole.length <= maxCharacters) return { text: whole, more: 0 };
  for (let shown = Math.min(findings, MAX_SHOWN); shown > 1; shown -= 1) {
    const text = parts.slice(0, shown).join('; ');
    if (text.length + MORE_CHARACTERS <= maxCharacters) return ended(text, findings - shown);
  }
  return ended(cut(parts[0] ?? '', Math.max(maxCharacters, MIN_CHARACTERS)), findings - 1);
}

/** The count of the rest follows the text, so that only a text without a rest has a full stop. */
function ended(text: string, more: number): FittedSentence {
  return { text: more > 0 ? text : asSentence([text]), more };
}

/** The first finding gets at least this many characters; only a finding with hostile names is longer. */
const MIN_CHARACTERS = 120;

function cut(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1)}…`;
}

/** The server writes at most this many findings as parts. */
const MAX_SHOWN = 3;

function partTexts(state: OverallState, now: number, timeZone?: string): readonly string[] {
  return state.parts.map(({ text, until }) =>
    until === null ? text : `${text} until ${nearTimeText(until, now, timeZone)}`,
  );
}

function asSentence(parts: readonly string[]): string {
  const sentence = parts.join('; ');
  return sentence === '' || /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

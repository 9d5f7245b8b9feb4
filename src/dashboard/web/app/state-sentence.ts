// The one sentence about the whole cluster, with its times in the viewer's time zone. The server sends the parts; the sentence
// with UTC times is for readers without a page.

import type { OverallState } from '../../api/findings.ts';
import { nearTimeText } from '../charts/figure-text.ts';

export function sentenceOf(state: OverallState, now: number, timeZone?: string): string {
  if (state.parts.length === 0) return state.sentence;
  const parts = state.parts.map(({ text, until }) =>
    until === null ? text : `${text} until ${nearTimeText(until, now, timeZone)}`,
  );
  const sentence = parts.join('; ');
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

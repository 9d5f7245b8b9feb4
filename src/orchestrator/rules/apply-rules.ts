// Decides by the words of a request while no model can decide. A rule's score is the score of its best keyword plus one
// for every other keyword and every hint that occurs. A keyword scores three, a decisive one (`word!`) six, and either
// scores four more as the opening word, which usually states the task. The highest score wins, on a tie the earlier
// rule; a score below two (a single hint) decides nothing. Pure.

import type { Decision, RoutingRule } from '../decision.ts';
import { createExceptions, type FindExceptions } from './exceptions.ts';
import { compilePattern, type Pattern } from './pattern.ts';
import { createPatternIndex, type FindPatterns } from './pattern-index.ts';
import { type Word, wordsOf } from './words.ts';

/** Undefined if no rule matches. */
export type ApplyRules = (message: string) => Decision | undefined;

const KEYWORD_SCORE = 3;
const DECISIVE_SCORE = 6;
const OPENING_SCORE = 4;
const FURTHER_SCORE = 1;
const MIN_SCORE = 2;

type CompiledRule = {
  readonly decision: Decision;
  readonly keywords: FindPatterns;
  readonly hints: FindPatterns;
  readonly exceptions: FindExceptions;
};

export function createApplyRules(rules: readonly RoutingRule[]): ApplyRules {
  const compiled = rules.map(compile);
  return (message) => {
    const words = wordsOf(message);
    const opening = words.findIndex(({ text }) => !POLITE_WORDS.has(text));
    let best: { readonly decision: Decision; readonly score: number } | undefined;
    for (const rule of compiled) {
      const score = scoreOf(rule, words, opening);
      if (score >= MIN_SCORE && score > (best?.score ?? 0))
        best = { decision: rule.decision, score };
    }
    return best?.decision;
  };
}

function compile({ category, skills, keywords, hints, exceptions }: RoutingRule): CompiledRule {
  return {
    decision: Object.freeze({ category, skills }),
    keywords: createPatternIndex(keywords.map(compilePattern)),
    hints: createPatternIndex(hints.map(compilePattern)),
    exceptions: createExceptions(exceptions),
  };
}

function scoreOf(rule: CompiledRule, words: readonly Word[], opening: number): number {
  const excepted = rule.exceptions(words);
  let best = 0;
  let found = 0;
  for (const [keyword, positions] of rule.keywords(words)) {
    const at = firstCounting(keyword, positions, excepted);
    if (at === undefined) continue;
    found += 1;
    const score = keyword.isDecisive ? DECISIVE_SCORE : KEYWORD_SCORE;
    best = Math.max(best, at === opening ? score + OPENING_SCORE : score);
  }
  // Two hints at the same word, or one hint at several words, count once.
  const hints = new Set<number>();
  for (const [hint, positions] of rule.hints(words)) {
    const at = firstCounting(hint, positions, excepted);
    if (at !== undefined) hints.add(at);
  }
  return best + FURTHER_SCORE * (Math.max(0, found - 1) + hints.size);
}

function firstCounting(
  { length }: Pattern,
  positions: readonly number[],
  excepted: ReadonlySet<number>,
): number | undefined {
  return positions.find((at) => {
    for (let index = at; index < at + length; index += 1) if (excepted.has(index)) return false;
    return true;
  });
}

/** Words that precede the word that states the task. */
const POLITE_WORDS: ReadonlySet<string> = new Set(
  'please can could would will you i we need want to help me us let s the a an hi hey hello kindly just now then also and'.split(
    ' ',
  ),
);

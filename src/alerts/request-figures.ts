// The figures of alerts about requests, from the counts of two windows. Pure.

import type { Figure } from './alert-figures.ts';
import type { RuleName } from './alert-rules.ts';
import { percentile, type RequestTotals } from './request-counts.ts';

export type RequestFigureRules = {
  readonly countWindowMs: number;
  /** Ratios over fewer requests are not evaluated. */
  readonly minRequests: number;
  readonly ignoredCodes: readonly string[];
};

const MINUTE_MS = 60_000;
const P99 = 0.99;

/** `long`: the window of ratios, `short`: the window of counts per minute. */
export function requestFigures(
  long: RequestTotals,
  short: RequestTotals,
  rules: RequestFigureRules,
): readonly (readonly [RuleName, readonly Figure[]])[] {
  const { requests } = long;
  const isJudged = requests >= rules.minRequests;
  const minutes = rules.countWindowMs / MINUTE_MS;
  return [
    ['error-rate', one(isJudged ? errorsOf(long, rules) / requests : 0)],
    ['error-count', one(errorsOf(short, rules) / minutes)],
    ['rate-limit-exceeded', one(short.rateLimited / minutes)],
    ['latency-p99', one(isJudged ? (percentile(long, P99) ?? 0) : 0)],
    ['cost-per-request', one(isJudged ? long.costUsd / requests : 0)],
  ];
}

function errorsOf({ errors }: RequestTotals, { ignoredCodes }: RequestFigureRules): number {
  return Object.entries(errors)
    .filter(([code]) => !ignoredCodes.includes(code))
    .reduce((sum, [, count]) => sum + count, 0);
}

function one(value: number): readonly Figure[] {
  return [{ value }];
}

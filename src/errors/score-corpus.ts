// Maps recorded failures (one JSON object per line) and scores them against the expectations in the lines.
// `spillway explain --corpus` runs it; it keeps the mapping honest against recorded provider responses.

import { type ErrorCode, isErrorCode } from './codes.ts';
import { type FailureContext, mapProviderError } from './map-provider-error.ts';

export type CorpusResult = {
  readonly id: string | null;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  readonly resetAt: number | null;
};

export type CorpusScore = {
  readonly scored: number;
  /**
   * Lines with the expected code, and lines with the expected or an accepted code.
   */
  readonly strict: number;
  readonly lenient: number;
  readonly retryable: number;
  /** Exact results among the lines that state a delay or a reset. */
  readonly delays: Tally;
  readonly resets: Tally;
  readonly misses: readonly string[];
};

export type Tally = { readonly exact: number; readonly stated: number };

/** The fields of a line that make up the failure; the others are its expectation and origin. */
const FAILURE_FIELDS = ['status', 'headers', 'body', 'errorName', 'errorCode', 'cause'];

export function mapLine(line: object, context: FailureContext = {}): CorpusResult {
  const fields = Object.entries(line).filter(([name]) => FAILURE_FIELDS.includes(name));
  const verdict = mapProviderError(Object.fromEntries(fields), context);
  const { code, retryable, retryAfterMs = null, resetAt = null } = verdict;
  const id = 'id' in line && typeof line.id === 'string' ? line.id : null;
  return { id, code, retryable, retryAfterMs, resetAt };
}

export function scoreCorpus(
  lines: readonly object[],
  results: readonly CorpusResult[],
): CorpusScore | undefined {
  const pairs = lines.flatMap((line, index) => {
    const result = results[index];
    const expected = expectationOf(line);
    return result === undefined || expected === undefined ? [] : [{ result, expected }];
  });
  if (pairs.length === 0) return undefined;
  const count = (isRight: (pair: Pair) => boolean) => pairs.filter(isRight).length;
  return {
    scored: pairs.length,
    strict: count(({ result, expected }) => result.code === expected.code),
    lenient: count(isAcceptedCode),
    retryable: count(({ result, expected }) => result.retryable === expected.retryable),
    delays: {
      exact: count((pair) => pair.expected.delays[0] !== null && hasExactDelay(pair)),
      stated: count(({ expected }) => expected.delays[0] !== null),
    },
    resets: {
      exact: count((pair) => pair.expected.resetAt !== null && hasExactReset(pair)),
      stated: count(({ expected }) => expected.resetAt !== null),
    },
    misses: pairs.flatMap(missesOf),
  };
}

type Expectation = {
  readonly code: ErrorCode;
  readonly accepted: readonly unknown[];
  readonly retryable: unknown;
  /** The expected delay, followed by the accepted alternatives. */
  readonly delays: readonly (number | null)[];
  readonly resetAt: number | null;
};

type Pair = { readonly result: CorpusResult; readonly expected: Expectation };

function expectationOf(line: object): Expectation | undefined {
  if (!('expect' in line) || typeof line.expect !== 'object' || line.expect === null)
    return undefined;
  const expect: Readonly<Record<string, unknown>> = { ...line.expect };
  if (!isErrorCode(expect['code'])) return undefined;
  return {
    code: expect['code'],
    accepted: listOf(expect['codeAccept']),
    retryable: expect['retryable'],
    delays: [expect['retryAfterMs'], ...listOf(expect['retryAfterMsAccept'])].map(numberOrNull),
    resetAt: numberOrNull(expect['resetAt']),
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function isAcceptedCode({ result, expected }: Pair): boolean {
  return result.code === expected.code || expected.accepted.includes(result.code);
}

function hasExactDelay({ result, expected }: Pair): boolean {
  return expected.delays.includes(result.retryAfterMs);
}

function hasExactReset({ result, expected }: Pair): boolean {
  return result.resetAt === expected.resetAt;
}

function missesOf(pair: Pair): string[] {
  const { result, expected } = pair;
  const wrong = [
    ...(isAcceptedCode(pair) ? [] : [`code ${result.code}, expected ${expected.code}`]),
    ...(result.code === expected.code && result.retryable !== expected.retryable
      ? [`retryable ${result.retryable}, expected ${String(expected.retryable)}`]
      : []),
    ...(hasExactDelay(pair)
      ? []
      : [`delay ${result.retryAfterMs}, expected ${expected.delays[0]}`]),
    ...(hasExactReset(pair) ? [] : [`reset ${result.resetAt}, expected ${expected.resetAt}`]),
  ];
  return wrong.map((what) => `${result.id ?? '(no id)'}: ${what}`);
}

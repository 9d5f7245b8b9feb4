// Asking a limit on behalf of work that can wait, so that those who wait form a line. Who comes for the first time and
// finds no room is given a moment of its own, one interval after the one before it. Who comes later goes behind them,
// even when there happens to be room because one of them is a little late. Who comes back at its moment and is a
// little early, because others were late, stays and waits just that little instead of going to the end again. Those who
// are late all at once keep their distances (keep-distance.ts).
// A line whose people do not come (they were cancelled, or their messages purged) is forgotten after a while.
// While the counts cannot be asked everybody stays: nobody is put off, since nobody knows until when.

import type { Limit, PermitAsk, PermitDecision, RateLimiter } from '../admission/rate-limiter.ts';
import type { Clock } from '../kernel/clock.ts';
import { comebackIntervalMs } from '../resilience/comeback.ts';
import { createDistances } from './keep-distance.ts';

export type LineAnswer =
  /** `askedAtMs` is monotonic. */
  | { readonly kind: 'allowed'; readonly ask: PermitAsk; readonly askedAtMs: number }
  | { readonly kind: 'later'; readonly afterMs: number }
  /** It is held on to and asked about again: the wait is but a moment, or the counts cannot be asked. */
  | { readonly kind: 'stay'; readonly afterMs: number }
  /** It is larger than the whole limit: waiting does not help. */
  | { readonly kind: 'never' };

export type LineQuestion = {
  /** Unique for each question: two copies of one message must not share a permit. */
  readonly id: string;
  readonly limits: readonly Limit[];
  readonly tokens?: number;
  /** `newcomer`: wants a moment of its own; `returning`: had one; `present`: stays where it is and asks again. */
  readonly as: 'newcomer' | 'returning' | 'present';
  /** The moment that was its own, of one who had to wait for it, here or before it came here. */
  readonly dueAt?: number | undefined;
};

export type AskInLine = (question: LineQuestion) => Promise<LineAnswer>;

export type PermitLineParts = {
  readonly limiter: Pick<RateLimiter, 'take' | 'giveBack'>;
  readonly clock: Clock;
};

/** Moments of epoch time: the last one given, the first of this line, and when somebody last came at his. */
type Line = { tailAt: number; headAt: number; seenAt: number };

/** How long an unsettled permit outlives the process that took it: longer than any call. */
const EXPIRES_MS = 900_000;
/** A wait as short as this is waited for at the head of the line. */
const NEAR_MS = 1000;
/** The counts are away, and nobody knows for how long. */
const PAUSE_MS = 1000;
/** When so many in a row should have come and none did, and not for so long, nobody stands there. */
const MISSED_TURNS = 20;
const MISSED_MS = 5000;

export function createPermitLine({ limiter, clock }: PermitLineParts): AskInLine {
  const lines = new Map<string, Line>();
  const distance = createDistances(clock);

  async function ask(question: LineQuestion, wantsComeback: boolean): Promise<LineAnswer> {
    const { id, limits, tokens = 0 } = question;
    const asked = { id, limits, tokens, expiresMs: EXPIRES_MS, isBackground: true, wantsComeback };
    const askedAtMs = clock.monotonic();
    const decision = await decide(limiter, asked);
    return decision.isAllowed ? { kind: 'allowed', ask: asked, askedAtMs } : refusalOf(decision);
  }

  async function comeNew(question: LineQuestion): Promise<LineAnswer> {
    const [limit] = question.limits;
    if (limit) await keepDistance(limit, question.dueAt);
    const answer = await ask(question, true);
    if (!limit || answer.kind === 'stay' || answer.kind === 'never') return answer;
    const now = clock.now();
    const line = liveLine(lines, limit, now);
    if (answer.kind === 'later') {
      join(lines, limit, now + answer.afterMs, line);
      return answer;
    }
    if (!line) return answer;
    limiter.giveBack(answer.ask);
    line.tailAt += intervalMs(limit);
    return { kind: 'later', afterMs: Math.max(1, Math.ceil(line.tailAt - now)) };
  }

  async function comeBack(question: LineQuestion): Promise<LineAnswer> {
    const [limit] = question.limits;
    const line = limit && lines.get(keyOf(limit));
    if (line) line.seenAt = clock.now();
    if (limit) await keepDistance(limit, question.dueAt);
    const answer = await ask(question, false);
    if (answer.kind !== 'later') return answer;
    if (answer.afterMs <= NEAR_MS) return { kind: 'stay', afterMs: answer.afterMs };
    return ask(question, true);
  }

  async function keepDistance(limit: Limit, dueAt: number | undefined): Promise<void> {
    if (dueAt !== undefined) await distance(keyOf(limit), dueAt);
  }

  return (question) => {
    if (question.as === 'newcomer') return comeNew(question);
    return question.as === 'returning' ? comeBack(question) : ask(question, false);
  };
}

function refusalOf(decision: Extract<PermitDecision, { isAllowed: false }>): LineAnswer {
  const { binding, comeBackMs, retryAfterMs } = decision;
  if (!binding) return { kind: 'stay', afterMs: retryAfterMs ?? PAUSE_MS };
  if (retryAfterMs === undefined) return { kind: 'never' };
  return { kind: 'later', afterMs: Math.max(1, comeBackMs ?? retryAfterMs) };
}

/** Undefined when nobody stands there any more. */
function liveLine(lines: Map<string, Line>, limit: Limit, now: number): Line | undefined {
  const line = lines.get(keyOf(limit));
  if (!line) return undefined;
  const patienceMs = MISSED_MS + MISSED_TURNS * intervalMs(limit);
  const isForsaken = now - Math.max(line.headAt, line.seenAt) > patienceMs;
  if (line.tailAt > now && !isForsaken) return line;
  lines.delete(keyOf(limit));
  return undefined;
}

function join(lines: Map<string, Line>, limit: Limit, at: number, line: Line | undefined): void {
  if (line) line.tailAt = Math.max(line.tailAt, at);
  else lines.set(keyOf(limit), { tailAt: at, headAt: at, seenAt: Number.NEGATIVE_INFINITY });
}

function keyOf({ tier, subject }: Limit): string {
  return `${tier}:${subject}`;
}

/** How far apart those are who wait for it. */
export function intervalMs({ kind, windowMs, max }: Limit): number {
  return comebackIntervalMs({ kind, windowMs, max: Math.max(1, max), cost: 1 });
}

function decide(limiter: PermitLineParts['limiter'], ask: PermitAsk): Promise<PermitDecision> {
  return new Promise((resolve) => limiter.take(ask, resolve));
}

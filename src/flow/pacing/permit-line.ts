// Asking a limit on behalf of work that can wait, so that those who wait form a line. Who comes for the first time and
// finds no room is given a moment of its own, one interval after the one before it. Who comes later goes behind them,
// even when there happens to be room because one of them is a little late. Who comes back at its moment and is a
// little early, because others were late, stands there for just that little instead of going to the end again
// (standing-line.ts). Those who are late all at once keep their distances (keep-distance.ts).
// A line whose people do not come (they were cancelled, or their messages purged) is forgotten after a while.
// While the counts cannot be asked everybody stays: nobody is put off, since nobody knows until when.

import type { Clock } from '../../kernel/clock.ts';
import { comebackIntervalMs } from '../../resilience/due-times.ts';
import type {
  Limit,
  PermitAsk,
  PermitDecision,
  RateLimiter,
} from '../../resilience/rate-limiter.ts';
import { createDistances } from './keep-distance.ts';
import { StandingLine } from './standing-line.ts';

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
  /** A newcomer that rather stands here for a short while than goes away and comes back. */
  readonly stays?: boolean;
  /** Who asks is to stop: whoever stands is sent back. */
  readonly signal?: AbortSignal | undefined;
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
/** A wait as short as this is waited for by who comes back, and by newcomers who rather stay. */
const NEAR_MS = 1000;
const STAY_MS = 500;
/** The counts are away, and nobody knows for how long. */
const PAUSE_MS = 1000;
/** When so many in a row should have come and none did, and not for so long, nobody stands there. */
const MISSED_TURNS = 20;
const MISSED_MS = 5000;

export function createPermitLine({ limiter, clock }: PermitLineParts): AskInLine {
  const lines = new Map<string, Line>();
  const distance = createDistances(clock);
  const standing = new Map<string, StandingLine>();

  function standingFor(limit: Limit): StandingLine {
    const key = keyOf(limit);
    const known = standing.get(key);
    const line =
      known ??
      new StandingLine({
        ask: (question) => ask(question, false),
        keepDistance: distance(key),
        intervalMs: intervalMs(limit),
        clock,
      });
    if (!known) standing.set(key, line);
    return line;
  }

  async function ask(question: LineQuestion, wantsComeback: boolean): Promise<LineAnswer> {
    const { id, limits, tokens = 0 } = question;
    const asked = { id, limits, tokens, expiresMs: EXPIRES_MS, isBackground: true, wantsComeback };
    const askedAtMs = clock.monotonic();
    const decision = await decide(limiter, asked);
    return decision.isAllowed ? { kind: 'allowed', ask: asked, askedAtMs } : refusalOf(decision);
  }

  async function comeNew(question: LineQuestion, limit: Limit): Promise<LineAnswer> {
    await keepDistance(question, limit);
    const answer = await ask(question, true);
    if (answer.kind === 'stay' || answer.kind === 'never') return answer;
    const now = clock.now();
    const behindMs = waitMsBehindOthers(limit);
    if (answer.kind === 'allowed' && behindMs === 0) return answer;
    if (answer.kind === 'allowed') limiter.giveBack(answer.ask);
    const afterMs =
      answer.kind === 'later' ? answer.afterMs : Math.ceil(behindMs + intervalMs(limit));
    join(lines, limit, now + afterMs);
    return { kind: 'later', afterMs };
  }

  /** `later` when it would be too long. */
  async function stayNew(question: LineQuestion, limit: Limit): Promise<LineAnswer> {
    const behindMs = waitMsBehindOthers(limit);
    if (behindMs > STAY_MS) return { kind: 'later', afterMs: behindMs };
    if (behindMs === 0) {
      await keepDistance(question, limit);
      const answer = await ask(question, false);
      if (answer.kind !== 'later' || answer.afterMs > STAY_MS) return answer;
    }
    return standingFor(limit).stand(question, STAY_MS);
  }

  async function keepDistance({ dueAt, signal }: LineQuestion, limit: Limit): Promise<void> {
    if (dueAt !== undefined) await distance(keyOf(limit))(dueAt, intervalMs(limit), signal);
  }

  /** Of those who were given moments and those who stand here. */
  function waitMsBehindOthers(limit: Limit): number {
    const now = clock.now();
    const tailAt = liveLine(lines, limit, now)?.tailAt ?? now;
    return Math.max(tailAt - now, standing.get(keyOf(limit))?.waitMs ?? 0);
  }

  async function comeBack(question: LineQuestion, limit: Limit): Promise<LineAnswer> {
    const line = lines.get(keyOf(limit));
    if (line) line.seenAt = clock.now();
    const answer = await standingFor(limit).stand(question, NEAR_MS);
    return answer.kind === 'later' ? ask(question, true) : answer;
  }

  return async (question) => {
    const [limit] = question.limits;
    if (!limit || question.as === 'present') return ask(question, false);
    if (question.as === 'returning') return comeBack(question, limit);
    const stayed = question.stays ? await stayNew(question, limit) : undefined;
    return stayed && stayed.kind !== 'later' ? stayed : comeNew(question, limit);
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

function join(lines: Map<string, Line>, limit: Limit, at: number): void {
  const line = lines.get(keyOf(limit));
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

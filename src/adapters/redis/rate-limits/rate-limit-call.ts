// One call of the rate limiter's script: the operations are encoded as one text, the answers decoded from one. It is
// stateless and rejects when Redis is unavailable or late.

import type { Redis } from 'ioredis';
import type {
  Limit,
  LimitStanding,
  PermitAsk,
  PermitDecision,
  Queueing,
} from '../../../resilience/rate-limiter.ts';
import type { RedisLink } from '../connection/open-redis.ts';
import { runScript } from '../connection/redis-script.ts';
import type { Admission } from './local-admissions.ts';
import type { ObservedLimit, ObservedLimits } from './observed-limits.ts';
import type { RateLimitKeys } from './rate-limit-keys.ts';
import { OPERATION, QUEUEING, RATE_LIMIT_SCRIPT } from './rate-limit-script.ts';

export type Operation = {
  /** The operation's number and arguments as JSON values without the enclosing brackets. */
  readonly head: string;
  readonly limits: readonly Limit[];
};

export type ReturnedPermit = Pick<PermitAsk, 'id' | 'tokens' | 'limits'>;

export type CallerState = {
  readonly epoch: string;
  /** The server decides by its safe share until it has reported its admissions. */
  readonly isFallback: boolean;
  /** Servers that may have lost contact as well. */
  readonly awaits: readonly string[];
  /** An estimate of Redis' clock. */
  readonly now: number;
};

export type CallReply = {
  readonly epoch: string;
  /** Redis' clock. */
  readonly now: number;
  /** Absent when the epoch differs from the caller's or the call was late: then nothing was done. */
  readonly done?: { readonly alive: readonly string[]; readonly answers: readonly Answer[] };
};

export type Answer = readonly number[];

export type RateLimitCallParts = {
  readonly link: RedisLink;
  readonly keys: RateLimitKeys;
  readonly observed: ObservedLimits;
  readonly serverId: string;
  readonly ttlMs: number;
  /** A server without contact for this long is removed from the list. */
  readonly goneMs: number;
  /** The share of a server that lost contact is reserved for this long. */
  readonly awaitMs: number;
  /** Stored by a Redis that has no epoch. */
  readonly newEpoch: () => string;
};

/**
 * Longer than the timeout of other commands: a slow Redis is better than the safe share. The script does nothing after this
 * deadline, because by then the server has decided by itself.
 */
const PATIENCE_MS = 500;
/** A call that starts later than this was delayed. */
const PROMPT_MS = 100;

export async function callRateLimits(
  parts: RateLimitCallParts,
  state: CallerState,
  operations: readonly Operation[],
): Promise<CallReply> {
  const { link, keys, serverId } = parts;
  const all = [keys.epoch, keys.servers, keys.awaited];
  const text = encode(operations, parts.observed, all);
  const args = [
    serverId,
    state.epoch,
    parts.newEpoch(),
    parts.ttlMs,
    parts.goneMs,
    parts.awaitMs,
    state.isFallback ? '1' : '0',
    state.awaits.length === 0 ? '[]' : JSON.stringify(state.awaits),
    text,
    Math.ceil(state.now) + PATIENCE_MS,
    PATIENCE_MS - PROMPT_MS,
  ];
  const ask = (redis: Redis) => runScript(redis, RATE_LIMIT_SCRIPT, all, args);
  return parseReply(await link.run(ask, PATIENCE_MS));
}

export function takeOperation(ask: PermitAsk): Operation {
  const { id, tokens, expiresMs, queueing, limits } = ask;
  const head = `${OPERATION.take},${quoted(id)},${tokens},${expiresMs},${queueingArguments(queueing)}`;
  return { head, limits };
}

function queueingArguments(queueing: Queueing | undefined): string {
  if (!queueing) return `${QUEUEING.none},0,0`;
  const { hasWaited, behindMs, patienceMs } = queueing;
  const patience = Math.min(patienceMs, MAX_PATIENCE_MS);
  return `${hasWaited ? QUEUEING.hasWaited : QUEUEING.first},${behindMs},${patience}`;
}

/** JSON has no infinity. */
const MAX_PATIENCE_MS = 1e12;

export function giveBackOperation({ id, tokens, limits }: ReturnedPermit): Operation {
  return { head: `${OPERATION.giveBack},${quoted(id)},${tokens}`, limits };
}

/** Undefined where there is nothing to settle: a request counts for the whole window, even after it has ended. */
export function settleOperation(admission: Admission): Operation | undefined {
  const limits = admission.limitsToReport.filter(({ kind }) => kind !== 'requests');
  if (limits.length === 0) return undefined;
  return { head: endingHead(OPERATION.settle, admission, admission.usedTokens ?? 0), limits };
}

export function reportOperation(admission: Admission): Operation {
  const head = endingHead(OPERATION.report, admission, admission.usedTokens ?? -1);
  return { head, limits: admission.limitsToReport };
}

export function lookOperation(limits: readonly Limit[]): Operation {
  return { head: String(OPERATION.look), limits };
}

export function reportSeenOperation(limit: Limit, used: number, seenAt: number): Operation {
  return { head: `${OPERATION.reportSeen},${used},${seenAt}`, limits: [limit] };
}

function endingHead(
  operation: number,
  { id, tokens, takenAt, expiresAt }: Admission,
  used: number,
): string {
  return `${operation},${quoted(id)},${tokens},${used},${takenAt},${expiresAt}`;
}

/** Ids are generated here, except the ids of jobs, which their senders choose. */
function quoted(id: string): string {
  return PLAIN.test(id) ? `"${id}"` : JSON.stringify(id);
}

const PLAIN = /^[\w.+:-]*$/;

export function decisionOf(
  { limits }: PermitAsk,
  found: Answer,
  now: number,
  observed: ObservedLimits,
): PermitDecision {
  const [bindingIndex = 0, waitMs = 0, dueInMs = -1] = found;
  const standings = standingsOf(limits, found, 3, now, observed);
  if (bindingIndex === 0) return { isAllowed: true, standings };
  return {
    isAllowed: false,
    binding: standings[bindingIndex - 1],
    standings,
    retryAfterMs: waitMs < 0 ? undefined : waitMs,
    dueInMs: dueInMs < 0 ? undefined : dueInMs,
  };
}

export function standingsOf(
  limits: readonly Limit[],
  found: Answer,
  from: number,
  now: number,
  observed: ObservedLimits,
): LimitStanding[] {
  let at = from;
  return limits.map((limit) => {
    const max = found[at] ?? 0;
    const used = found[at + 1] ?? 0;
    const freeInMs = found[at + 2] ?? 0;
    at += 3;
    const remaining = Math.max(0, max - used);
    observed.observe(limit, used, remaining, now);
    return { limit, remaining, resetAt: now + freeInMs };
  });
}

/** Encodes the operations as JSON and appends the keys of their limits to `keys`, each once. */
function encode(
  operations: readonly Operation[],
  observed: ObservedLimits,
  keys: string[],
): string {
  const before = keys.length;
  const indices = new Map<ObservedLimit, number>();
  // Most operations of a batch share one list of limits.
  const texts = new Map<readonly Limit[], string>();

  function textOf(limits: readonly Limit[]): string {
    let text = '';
    for (const limit of limits) {
      const entry = observed.of(limit);
      let index = indices.get(entry);
      if (index === undefined) {
        index = keys.push(entry.key) - before;
        indices.set(entry, index);
      }
      text += `,${index},${entry.kindCode},${limit.max},${limit.windowMs}`;
    }
    texts.set(limits, text);
    return text;
  }

  let all = '';
  for (const { head, limits } of operations)
    all += `${all === '' ? '' : ','}[${head}${texts.get(limits) ?? textOf(limits)}]`;
  return `[${all}]`;
}

/** Lua's cjson encodes an empty list as an empty object. */
function parseReply(raw: unknown): CallReply {
  const parsed: unknown = typeof raw === 'string' ? JSON.parse(raw) : undefined;
  const [epoch, now, alive, answers]: unknown[] = Array.isArray(parsed) ? parsed : [];
  if (typeof epoch !== 'string' || typeof now !== 'number')
    throw new Error('the rate limit script returned an unknown answer');
  if (!Array.isArray(alive)) return { epoch, now };
  const done = { alive: alive.map(String), answers: listOf(answers).map(parseAnswer) };
  return { epoch, now, done };
}

/** The script answers in numbers fallback. */
function parseAnswer(answer: unknown): Answer {
  return Array.isArray(answer) ? (answer as number[]) : NO_ANSWER;
}

const NO_ANSWER: Answer = [];

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

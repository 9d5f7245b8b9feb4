// One call of the rate limiter's script: operations go out as one text and come back as one. It keeps nothing between
// calls and rejects when Redis is away or late; what that means is the caller's to decide.

import type { Redis } from 'ioredis';
import type {
  Limit,
  LimitStanding,
  PermitAsk,
  PermitDecision,
} from '../../../resilience/rate-limiter.ts';
import type { RedisLink } from '../connection/open-redis.ts';
import { runScript } from '../connection/redis-script.ts';
import type { ObservedLimit, ObservedLimits } from './observed-limits.ts';
import type { Admission } from './own-admissions.ts';
import type { RateLimitKeys } from './rate-limit-keys.ts';
import { OPERATION, RATE_LIMIT_SCRIPT } from './rate-limit-script.ts';

export type Operation = {
  /** What is to be done and with what, as values of JSON without the brackets around them. */
  readonly head: string;
  readonly limits: readonly Limit[];
};

export type ReturnedPermit = Pick<PermitAsk, 'id' | 'tokens' | 'limits'>;

export type CallerState = {
  readonly epoch: string;
  /** Counts by itself until it has told what it admitted. */
  readonly isAlone: boolean;
  /** Servers that may have been left alone too. */
  readonly awaits: readonly string[];
  /** What time it is at Redis, as far as is known. */
  readonly now: number;
};

export type CallReply = {
  readonly epoch: string;
  /** By the clock of Redis. */
  readonly now: number;
  /** Absent when the epoch is not the caller's, or the call came late: then nothing was done. */
  readonly done?: { readonly alive: readonly string[]; readonly answers: readonly Answer[] };
};

export type Answer = readonly number[];

export type RateLimitCallParts = {
  readonly link: RedisLink;
  readonly keys: RateLimitKeys;
  readonly places: ObservedLimits;
  readonly serverId: string;
  readonly ttlMs: number;
  /** A server that is not heard of for so long is gone. */
  readonly goneMs: number;
  /** One that may have been left alone is waited for no longer than this. */
  readonly awaitMs: number;
  /** What a Redis without an epoch begins with. */
  readonly newEpoch: () => string;
};

/**
 * Longer than other commands are waited for: a server that is only slow is better waited for than left. What Redis
 * finds later than this it does not do, because by then it was decided otherwise.
 */
const PATIENCE_MS = 500;
/** A call that took longer than this to be heard was held up. */
const PROMPT_MS = 100;

export async function callRateLimits(
  parts: RateLimitCallParts,
  state: CallerState,
  operations: readonly Operation[],
): Promise<CallReply> {
  const { link, keys, serverId } = parts;
  const all = [keys.epoch, keys.servers, keys.awaited];
  const text = encode(operations, parts.places, all);
  const args = [
    serverId,
    state.epoch,
    parts.newEpoch(),
    parts.ttlMs,
    parts.goneMs,
    parts.awaitMs,
    state.isAlone ? '1' : '0',
    state.awaits.length === 0 ? '[]' : JSON.stringify(state.awaits),
    text,
    Math.ceil(state.now) + PATIENCE_MS,
    PATIENCE_MS - PROMPT_MS,
  ];
  const ask = (redis: Redis) => runScript(redis, RATE_LIMIT_SCRIPT, all, args);
  return parseReply(await link.run(ask, PATIENCE_MS));
}

export function takeOperation(ask: PermitAsk): Operation {
  const { id, tokens, expiresMs, wantsComeback, limits } = ask;
  const head = `${OPERATION.take},${quoted(id)},${tokens},${expiresMs},${wantsComeback ? 1 : 0}`;
  return { head, limits };
}

export function giveBackOperation({ id, tokens, limits }: ReturnedPermit): Operation {
  return { head: `${OPERATION.giveBack},${quoted(id)},${tokens}`, limits };
}

/** Requests count whether or not they have ended: of them there is nothing to say. */
export function settleOperation(admission: Admission): Operation | undefined {
  const limits = admission.toTell.filter(({ kind }) => kind !== 'requests');
  if (limits.length === 0) return undefined;
  return { head: endingHead(OPERATION.settle, admission, admission.usedTokens ?? 0), limits };
}

export function tellOperation(admission: Admission): Operation {
  const head = endingHead(OPERATION.tell, admission, admission.usedTokens ?? -1);
  return { head, limits: admission.toTell };
}

export function lookOperation(limits: readonly Limit[]): Operation {
  return { head: String(OPERATION.look), limits };
}

export function seenOperation(limit: Limit, used: number, seenAt: number): Operation {
  return { head: `${OPERATION.seen},${used},${seenAt}`, limits: [limit] };
}

function endingHead(
  operation: number,
  { id, tokens, takenAt, expiresAt }: Admission,
  used: number,
): string {
  return `${operation},${quoted(id)},${tokens},${used},${takenAt},${expiresAt}`;
}

/** Ids are our own but for those of jobs, which their senders choose. */
function quoted(id: string): string {
  return PLAIN.test(id) ? `"${id}"` : JSON.stringify(id);
}

const PLAIN = /^[\w.+:-]*$/;

export function decisionOf(
  { limits }: PermitAsk,
  found: Answer,
  now: number,
  places: ObservedLimits,
): PermitDecision {
  const [bindingIndex = 0, waitMs = 0, comeBackMs = -1] = found;
  const standings = standingsOf(limits, found, 3, now, places);
  if (bindingIndex === 0) return { isAllowed: true, standings };
  return {
    isAllowed: false,
    binding: standings[bindingIndex - 1],
    standings,
    retryAfterMs: waitMs < 0 ? undefined : waitMs,
    comeBackMs: comeBackMs < 0 ? undefined : comeBackMs,
  };
}

export function standingsOf(
  limits: readonly Limit[],
  found: Answer,
  from: number,
  now: number,
  places: ObservedLimits,
): LimitStanding[] {
  let at = from;
  return limits.map((limit) => {
    const max = found[at] ?? 0;
    const used = found[at + 1] ?? 0;
    const freeInMs = found[at + 2] ?? 0;
    at += 3;
    const remaining = Math.max(0, max - used);
    places.see(limit, used, remaining, now);
    return { limit, remaining, resetAt: now + freeInMs };
  });
}

/** The operations as JSON, and the keys they are about behind those that are there already: each once. */
function encode(operations: readonly Operation[], places: ObservedLimits, keys: string[]): string {
  const before = keys.length;
  const indices = new Map<ObservedLimit, number>();
  // Most of a batch are asked of the same limits, and these are one list.
  const texts = new Map<readonly Limit[], string>();

  function textOf(limits: readonly Limit[]): string {
    let text = '';
    for (const limit of limits) {
      const place = places.of(limit);
      let index = indices.get(place);
      if (index === undefined) {
        index = keys.push(place.key) - before;
        indices.set(place, index);
      }
      text += `,${index},${place.kindCode},${limit.max},${limit.windowMs}`;
    }
    texts.set(limits, text);
    return text;
  }

  let all = '';
  for (const { head, limits } of operations)
    all += `${all === '' ? '' : ','}[${head}${texts.get(limits) ?? textOf(limits)}]`;
  return `[${all}]`;
}

/** An empty list of Lua comes as an empty object. */
function parseReply(raw: unknown): CallReply {
  const parsed: unknown = typeof raw === 'string' ? JSON.parse(raw) : undefined;
  const [epoch, now, alive, answers]: unknown[] = Array.isArray(parsed) ? parsed : [];
  if (typeof epoch !== 'string' || typeof now !== 'number')
    throw new Error('the script of the rate limits answered nothing that is known');
  if (!Array.isArray(alive)) return { epoch, now };
  const done = { alive: alive.map(String), answers: listOf(answers).map(parseAnswer) };
  return { epoch, now, done };
}

/** The script answers in numbers alone. */
function parseAnswer(answer: unknown): Answer {
  return Array.isArray(answer) ? (answer as number[]) : NO_ANSWER;
}

const NO_ANSWER: Answer = [];

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

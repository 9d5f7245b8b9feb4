// One call of the rate limiter's script: operations go out as one text and come back as one. It keeps nothing between
// calls and rejects when Redis is away or late; what that means is the caller's to decide.

import type {
  Limit,
  LimitStanding,
  PermitAsk,
  PermitDecision,
} from '../../admission/rate-limiter.ts';
import type { LimitPlaces } from './limit-places.ts';
import type { RedisLink } from './open-redis.ts';
import type { Admission } from './own-admissions.ts';
import type { RateLimitKeys } from './rate-limit-keys.ts';
import { OPERATION, RATE_LIMIT_SCRIPT } from './rate-limit-script.ts';
import { runScript } from './redis-script.ts';

export type Operation = {
  readonly head: readonly (string | number)[];
  readonly limits: readonly Limit[];
};

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
  readonly places: LimitPlaces;
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
  const limitKeys: string[] = [];
  const text = encode(operations, parts.places, limitKeys);
  const all = [keys.epoch, keys.servers, keys.awaited, ...limitKeys];
  const args = [serverId, state.epoch, parts.newEpoch(), parts.ttlMs, parts.goneMs, parts.awaitMs];
  const more = [state.isAlone ? '1' : '0', JSON.stringify(state.awaits), text];
  const deadline = Math.ceil(state.now) + PATIENCE_MS;
  const raw = await link.run(
    (redis) =>
      runScript(redis, RATE_LIMIT_SCRIPT, all, [
        ...args,
        ...more,
        deadline,
        PATIENCE_MS - PROMPT_MS,
      ]),
    PATIENCE_MS,
  );
  return parseReply(raw);
}

export function takeOperation(ask: PermitAsk): Operation {
  const { id, tokens, expiresMs, wantsComeback, limits } = ask;
  return { head: [OPERATION.take, id, tokens, expiresMs, wantsComeback ? 1 : 0], limits };
}

export function giveBackOperation({ id, tokens, limits }: PermitAsk): Operation {
  return { head: [OPERATION.giveBack, id, tokens], limits };
}

/** Requests count whether or not they have ended: of them there is nothing to say. */
export function settleOperation({
  ask,
  takenAt,
  expiresAt,
  usedTokens,
  limits,
}: Admission): Operation {
  const head = [OPERATION.settle, ask.id, ask.tokens, usedTokens ?? 0, takenAt, expiresAt];
  return { head, limits: limits.filter(({ kind }) => kind !== 'requests') };
}

export function tellOperation({
  ask,
  takenAt,
  expiresAt,
  usedTokens,
  limits,
}: Admission): Operation {
  const head = [OPERATION.tell, ask.id, ask.tokens, usedTokens ?? -1, takenAt, expiresAt];
  return { head, limits };
}

export function lookOperation(limits: readonly Limit[]): Operation {
  return { head: [OPERATION.look], limits };
}

export function seenOperation(limit: Limit, used: number, seenAt: number): Operation {
  return { head: [OPERATION.seen, used, seenAt], limits: [limit] };
}

export function decisionOf(
  { limits }: PermitAsk,
  found: Answer,
  now: number,
  places: LimitPlaces,
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
  places: LimitPlaces,
): LimitStanding[] {
  return limits.map((limit, index) => {
    const at = from + index * 3;
    const [max = 0, used = 0, freeInMs = 0] = [found[at], found[at + 1], found[at + 2]];
    const remaining = Math.max(0, max - used);
    places.see(limit, used, remaining, now);
    return { limit, remaining, resetAt: now + freeInMs };
  });
}

/** Names each key once, however many operations are about it. */
function encode(operations: readonly Operation[], places: LimitPlaces, keys: string[]): string {
  const indices = new Map<string, number>();
  const lists = operations.map(({ head, limits }) => {
    const list = [...head];
    for (const limit of limits) {
      const { key, kindCode } = places.of(limit);
      let index = indices.get(key);
      if (index === undefined) {
        index = keys.push(key);
        indices.set(key, index);
      }
      list.push(index, kindCode, limit.max, limit.windowMs);
    }
    return list;
  });
  return JSON.stringify(lists);
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

function parseAnswer(answer: unknown): Answer {
  return listOf(answer).map(Number);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

// The headers of a successful answer: an allow-list. Nothing of the provider's but the content type.

import { usdText } from '../../kernel/money.ts';
import type { LimitStanding } from '../../resilience/rate-limiter.ts';
import type { NativeRequest } from './native-request.ts';

export type AnswerFacts = {
  readonly contentType: string;
  readonly length?: number;
  readonly costNanos?: number;
  readonly attempts: number;
  readonly standings: readonly LimitStanding[];
  readonly now: number;
};

/** Names and values in turn, as `writeHead` takes them without copying. */
export function answerHeaders(
  request: Pick<NativeRequest, 'id' | 'correlationId'>,
  serverId: string,
  facts: AnswerFacts,
): string[] {
  const headers = [
    'content-type',
    facts.contentType,
    ...namingHeaders(request),
    ...servedHeaders(serverId, facts.attempts),
  ];
  if (facts.length === undefined) headers.push('cache-control', 'no-cache');
  else headers.push('content-length', String(facts.length));
  if (facts.costNanos !== undefined) {
    headers.push('x-spillway-cost-usd', usdText(facts.costNanos));
  }
  addStandings(headers, facts.standings, facts.now);
  return headers;
}

/** What the request is called, here and by its caller. */
export function namingHeaders({
  id,
  correlationId,
}: Pick<NativeRequest, 'id' | 'correlationId'>): string[] {
  const named = ['x-request-id', id];
  return correlationId === undefined ? named : [...named, 'x-correlation-id', correlationId];
}

/** Who served it, in how many attempts; on failures too. */
export function servedHeaders(serverId: string, attempts: number): string[] {
  return ['x-spillway-served-by', serverId, 'x-spillway-attempts', String(attempts)];
}

/** The organisation's own limits, in the names the SDKs know. */
export function addStandings(
  headers: string[],
  standings: readonly LimitStanding[],
  now: number,
): void {
  for (const { limit, remaining, resetAt } of standings) {
    if (limit.tier !== 'organization') continue;
    const names = STANDING_HEADERS[limit.kind];
    if (!names) continue;
    const resetMs = Math.max(0, Math.ceil(resetAt - now));
    headers.push(names[0], String(limit.max), names[1], String(Math.max(0, remaining)));
    headers.push(names[2], secondsText(resetMs));
  }
}

/** `12.345s`, put together from whole numbers: a float's digits cost more than the rest of the header. */
function secondsText(ms: number): string {
  const rest = ms % 1000;
  return `${(ms - rest) / 1000}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}s`;
}

type Names = readonly [limit: string, remaining: string, reset: string];

const STANDING_HEADERS: Readonly<Partial<Record<string, Names>>> = {
  requests: namesFor('requests'),
  tokens: namesFor('tokens'),
};

function namesFor(what: string): Names {
  return [
    `x-ratelimit-limit-${what}`,
    `x-ratelimit-remaining-${what}`,
    `x-ratelimit-reset-${what}`,
  ];
}

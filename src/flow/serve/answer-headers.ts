// The headers of a successful answer: an allow-list. Of the provider's headers only the content type is passed on.

import { usdText } from '../../kernel/money.ts';
import type { LimitStanding } from '../../resilience/rate-limiter.ts';
import type { NativeRequest } from './native-request.ts';

export type AnswerFacts = {
  readonly contentType: string;
  readonly length?: number;
  readonly costNanos?: number;
  readonly attempts: number;
  readonly standings: readonly LimitStanding[];
  /** Fields that the provider that served cannot express. */
  readonly dropped?: readonly string[] | undefined;
  readonly now: number;
};

/** Names and values alternating, as `writeHead` takes them without copying. */
export function answerHeaders(
  request: Pick<NativeRequest, 'id' | 'correlationId'>,
  serverId: string,
  facts: AnswerFacts,
): string[] {
  // One literal and pushes: spreading the lists of other functions costs more than all of their strings.
  const headers = [
    'content-type',
    facts.contentType,
    'x-request-id',
    request.id,
    'request-id',
    request.id,
    'x-spillway-served-by',
    serverId,
    'x-spillway-attempts',
    String(facts.attempts),
  ];
  if (request.correlationId !== undefined) headers.push('x-correlation-id', request.correlationId);
  if (facts.length === undefined) headers.push('cache-control', 'no-cache');
  else headers.push('content-length', String(facts.length));
  if (facts.costNanos !== undefined) {
    headers.push('x-spillway-cost-usd', usdText(facts.costNanos));
  }
  if (facts.dropped && facts.dropped.length > 0)
    headers.push('x-spillway-dropped', facts.dropped.join(', '));
  addStandings(headers, facts.standings, facts.now);
  return headers;
}

/** The ids of the request: ours and the caller's. */
export function namingHeaders({
  id,
  correlationId,
}: Pick<NativeRequest, 'id' | 'correlationId'>): string[] {
  const named = ['x-request-id', id, 'request-id', id];
  return correlationId === undefined ? named : [...named, 'x-correlation-id', correlationId];
}

/** The server and the number of attempts; on failures too. */
export function servedHeaders(serverId: string, attempts: number): string[] {
  return ['x-spillway-served-by', serverId, 'x-spillway-attempts', String(attempts)];
}

/** The organisation's own limits, under the names that the SDKs read. */
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

/** `12.345s`, composed of integers: formatting a float costs more than the rest of the header. */
function secondsText(ms: number): string {
  const rest = ms % 1000;
  return `${(ms - rest) / 1000}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}s`;
}

/** Alternating names and values, as pairs. */
export function* headerPairs(headers: readonly string[]): Generator<readonly [string, string]> {
  for (let at = 0; at + 1 < headers.length; at += 2)
    yield [headers[at] ?? '', headers[at + 1] ?? ''];
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

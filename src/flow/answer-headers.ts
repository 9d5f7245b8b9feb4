// The headers of a successful answer: an allow-list. Nothing of the provider's but the content type.

import { usdText } from '../kernel/money.ts';
import type { NativeRequest } from './native-request.ts';

export type AnswerFacts = {
  readonly contentType: string;
  readonly length?: number;
  readonly costNanos?: number;
};

/** Names and values in turn, as `writeHead` takes them without copying. */
export function answerHeaders(
  request: NativeRequest,
  serverId: string,
  facts: AnswerFacts,
): string[] {
  const headers = [
    'content-type',
    facts.contentType,
    'x-request-id',
    request.id,
    'x-spillway-served-by',
    serverId,
    'x-spillway-attempts',
    '1',
  ];
  if (facts.length === undefined) headers.push('cache-control', 'no-cache');
  else headers.push('content-length', String(facts.length));
  if (facts.costNanos !== undefined) {
    headers.push('x-spillway-cost-usd', usdText(facts.costNanos));
  }
  if (request.correlationId !== undefined) headers.push('x-correlation-id', request.correlationId);
  return headers;
}

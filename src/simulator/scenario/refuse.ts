// Refuses a request in its provider's wording: because of a scenario, an exceeded limit, or a request that
// the provider would reject.

import type { OutgoingHttpHeaders } from 'node:http';
import type { Exchange } from '../exchange.ts';
import { answerWhole } from '../exchange.ts';
import { refuse } from '../formats/dialects.ts';
import type { Failure } from './failure.ts';
import type { Scenario, StatedFault } from './scenario.ts';

/** The properties of the request that a refusal mentions. */
export type RefusedRequest = {
  readonly model: string;
  readonly usage: { readonly inputTokens: number };
};

export function failureOf(
  exchange: Exchange,
  kind: StatedFault,
  refused: RefusedRequest,
  scenario: Scenario = {},
): Failure {
  const { status, message, secret, retryAfterMs, resetAt } = scenario;
  return {
    kind,
    status,
    message,
    secret,
    retryAfterMs,
    resetAt,
    excess: undefined,
    now: exchange.clock.now(),
    model: refused.model,
    inputTokens: refused.usage.inputTokens,
    requestId: requestIdOf(exchange),
  };
}

export function sendRefusal(
  exchange: Exchange,
  failure: Failure,
  headers: OutgoingHttpHeaders = identityHeaders(exchange),
): void {
  const refusal = refuse(exchange.route, failure);
  const all = { ...headers, ...refusal.headers, 'content-type': 'application/json' };
  answerWhole(exchange, refusal.status, all, JSON.stringify(refusal.body), 'refused');
}

/** For requests that never reach a scenario; `field` is the invalid part, if known. */
export function refuseAsMistake(
  exchange: Exchange,
  kind: StatedFault,
  message: string,
  field?: string,
): void {
  const refused = { model: exchange.entry.model ?? '', usage: { inputTokens: 0 } };
  sendRefusal(exchange, { ...failureOf(exchange, kind, refused), message, field });
}

/** The request id in the provider's own header. */
export function identityHeaders(exchange: Exchange): OutgoingHttpHeaders {
  const id = requestIdOf(exchange);
  if (exchange.route.dialect === 'anthropic')
    return {
      'request-id': id,
      'anthropic-organization-id': '3f4b38de-7887-4e5e-a43d-154b9076bdeb',
    };
  if (exchange.route.dialect === 'openai')
    return {
      'x-request-id': id,
      'openai-version': '2020-10-01',
      'openai-organization': 'simulator',
    };
  return { 'x-gemini-service-tier': 'standard' };
}

function requestIdOf({ id }: Exchange): string {
  return `req_${id}`;
}

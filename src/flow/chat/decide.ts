// Decides the category and skills of a chat request:
//
//   deciding model ─▶ ai
//      │ unreachable, limited, late, or its answer is no decision
//      ▼
//   decision cache ─▶ cache          the same organisation's last decision on nearly the same request
//      │ none
//      ▼
//   routing rules ──▶ rules          they always decide: the default category if no rule matches
//
// The organisation's own limit and a spent budget end the request: they would refuse the reply, too. The deciding call
// counts as the caller's request; the reply then counts its tokens only.

import type { IncomingHttpHeaders } from 'node:http';
import {
  decisionRequest,
  MAX_DECISION_TOKENS,
} from '../../orchestrator/decision/decision-request.ts';
import { parseDecision } from '../../orchestrator/decision/parse-decision.ts';
import type { Decision } from '../../orchestrator/decision.ts';
import { isDecidedElsewhere } from '../../orchestrator/degradation.ts';
import type { NativeRequest } from '../serve/native-request.ts';
import type { FailedRequest } from '../serve/reply.ts';
import { CallFailed } from './call-failed.ts';
import type { ChatParts } from './chat-parts.ts';
import type { ChatRequest, Decided } from './chat-request.ts';
import { createDerivedPrincipal } from './derived-principal.ts';
import { type ModelRequest, readModelText, writeModelRequest } from './model-request.ts';
import { makeOwnCall, type OwnOutcome } from './own-call.ts';
import type { Spending } from './spending.ts';

export type Routed = {
  readonly decided: Decided;
  /** The organisation's limit has counted the request. */
  readonly isCounted: boolean;
  /** The standings of the limits that counted the deciding call. */
  readonly headers: ReadonlyMap<string, string>;
};

export type Decide = (
  request: ChatRequest,
  spending: Spending,
  signal: AbortSignal,
) => Promise<Routed>;

/** The category of the deciding call's usage records. */
const DECISION_CATEGORY = 'routing-decision';

export function createDecide(parts: ChatParts): Decide {
  const { catalogue, cache, applyRules } = parts;
  const ask = createAsk(parts);
  return async (request, spending, signal) => {
    const { organizationId } = request.principal;
    const asked = await ask(request, spending, signal);
    const { isCounted, headers } = asked;
    if (asked.decision) {
      cache.store(organizationId, request.message, asked.decision);
      return { decided: { ...asked.decision, decidedBy: 'ai' }, isCounted, headers };
    }
    const known = cache.find(organizationId, request.message);
    if (known) return { decided: { ...known, decidedBy: 'cache' }, isCounted, headers };
    const ruled = applyRules(request.message) ?? catalogue.otherwise;
    return { decided: { ...ruled, decidedBy: 'rules' }, isCounted, headers };
  };
}

type Asked = Pick<Routed, 'isCounted' | 'headers'> & { readonly decision: Decision | undefined };

const NO_HEADERS: ReadonlyMap<string, string> = new Map();

/** Some models accept neither a schema nor a temperature: after such a refusal the call is repeated without them. */
function createAsk(parts: ChatParts) {
  let isPlain = false;
  return async (request: ChatRequest, spending: Spending, signal: AbortSignal): Promise<Asked> => {
    const first = await call(parts, request, { spending, signal, isPlain });
    if (isPlain || first.refusal !== 'INVALID_REQUEST') return first;
    const second = await call(parts, request, { spending, signal, isPlain: true });
    isPlain = second.decision !== undefined;
    return { ...second, isCounted: first.isCounted || second.isCounted };
  };
}

type AskTerms = {
  readonly spending: Spending;
  readonly signal: AbortSignal;
  readonly isPlain: boolean;
};

async function call(
  { serve, catalogue, settings, newId }: ChatParts,
  request: ChatRequest,
  { spending, signal, isPlain }: AskTerms,
): Promise<Asked & { readonly refusal?: string }> {
  const { system, message, schema } = decisionRequest(catalogue, request.message);
  const ask: ModelRequest = {
    id: newId('req'),
    principal: decidingPrincipal(request.principal),
    headers: headersOf(request.headers, settings.decisionTimeoutMs),
    correlationId: request.id,
    startedAtMs: serve.clock.monotonic(),
    model: settings.decisionModel,
    system,
    turns: [{ role: 'user', parts: [{ kind: 'text', text: message }] }],
    maxOutputTokens: MAX_DECISION_TOKENS,
    ...(isPlain ? {} : { temperature: 0, schema }),
  };
  const own = tryWriteRequest(serve, ask);
  if (!own) return { decision: undefined, isCounted: false, headers: NO_HEADERS };
  const counted = { ...serve, meter: spending.counting(serve.meter) };
  const outcome = await makeOwnCall(counted, own, signal);
  if (outcome.kind === 'failed') return afterFailure(outcome.failure);
  spending.addAnswer(own.id, own.route.format, outcome.answer);
  const { headers } = outcome.answer;
  return { decision: parseDecision(catalogue, textOf(own, outcome)), isCounted: true, headers };
}

/** Undefined if no provider serves the deciding model: the rules decide. */
function tryWriteRequest(serve: ChatParts['serve'], ask: ModelRequest): NativeRequest | undefined {
  try {
    return writeModelRequest(serve, ask);
  } catch {
    return undefined;
  }
}

function textOf(own: NativeRequest, { answer }: Extract<OwnOutcome, { kind: 'answered' }>): string {
  try {
    return readModelText(own, answer);
  } catch {
    return '';
  }
}

/** Throws for a failure that the reply would also meet. */
function afterFailure(failure: FailedRequest): Asked & { readonly refusal: string } {
  if (!isDecidedElsewhere(failure.error)) throw new CallFailed(failure);
  const isCounted = (failure.attempts ?? 0) > 0;
  return { decision: undefined, isCounted, headers: NO_HEADERS, refusal: failure.error.code };
}

/**
 * The operator chooses the deciding model, so the key's list of models does not apply; decisions are not stored as
 * stale answers.
 */
const decidingPrincipal = createDerivedPrincipal({ models: undefined, allowStale: false });

/** A late decision is worth less than the rules. */
function headersOf(given: IncomingHttpHeaders, timeoutMs: number): IncomingHttpHeaders {
  return {
    'x-user-id': given['x-user-id'],
    'x-category': DECISION_CATEGORY,
    'x-request-deadline-ms': String(timeoutMs),
  };
}

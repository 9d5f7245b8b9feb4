// Makes the reply to a chat request at the model of its category. When that model cannot serve:
//
//   model and its fallbacks ─▶ stale answer, where allowed ─▶ job, where consented ─▶ the error
//
// Any AI endpoint has the first two steps (alias chain, X-Spillway-Degrade). A job is consented to by
// `Prefer: respond-async`; `background: true`, or a category that runs as a job, skips the model.

import type { IncomingHttpHeaders } from 'node:http';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { reasonOf } from '../../kernel/log.ts';
import { systemPromptOf } from '../../orchestrator/catalogue.ts';
import type { Decision } from '../../orchestrator/decision.ts';
import { isWorthQueueing } from '../../orchestrator/degradation.ts';
import type { NativeRequest } from '../serve/native-request.ts';
import { prefersAsync } from '../serve/queue-call.ts';
import type { FailedRequest } from '../serve/reply.ts';
import { DEGRADED_HEADER } from '../serve/serve-stale.ts';
import { CallFailed } from './call-failed.ts';
import type { ChatParts } from './chat-parts.ts';
import type { ChatRequest } from './chat-request.ts';
import { turnsOf } from './conversation.ts';
import { createDerivedPrincipal } from './derived-principal.ts';
import { type ModelRequest, readModelText, writeModelRequest } from './model-request.ts';
import { makeOwnCall, type OwnAnswer, type OwnOutcome } from './own-call.ts';
import type { Spending } from './spending.ts';

export type ReplyOrder = {
  readonly request: ChatRequest;
  readonly decision: Decision;
  readonly isCounted: boolean;
  readonly spending: Spending;
};

export type Replied = {
  readonly outcome: { readonly reply: string } | { readonly jobId: string };
  readonly headers: ReadonlyMap<string, string>;
};

/** Throws CallFailed. */
export async function makeReply(
  parts: ChatParts,
  order: ReplyOrder,
  signal: AbortSignal,
): Promise<Replied> {
  const { request, decision } = order;
  const { run } = categoryOf(parts, decision);
  if (request.isBackground || run === 'job') return queued(await call(parts, order, true, signal));
  const now = await call(parts, order, false, signal);
  if (now.outcome.kind === 'answered') return answered(now.own, now.outcome.answer);
  const { failure } = now.outcome;
  const isConsented = prefersAsync(request.headers);
  if (!isConsented || !isWorthQueueing(failure.error)) throw new CallFailed(failure);
  const later = await call(parts, order, true, signal);
  // The first failure is the reason why the caller has to wait.
  if (later.outcome.kind === 'failed') throw new CallFailed(failure);
  return queued(later);
}

type Call = { readonly own: NativeRequest; readonly outcome: OwnOutcome };

async function call(
  parts: ChatParts,
  order: ReplyOrder,
  isJob: boolean,
  signal: AbortSignal,
): Promise<Call> {
  const { serve } = parts;
  const { spending } = order;
  const own = writeRequest(serve, modelRequest(parts, order, isJob));
  const counted = { ...serve, meter: spending.counting(serve.meter) };
  const outcome = await makeOwnCall(counted, own, signal);
  if (outcome.kind === 'answered' && !isJob && !outcome.answer.headers.has(DEGRADED_HEADER))
    spending.addAnswer(own.id, own.route.format, outcome.answer);
  return { own, outcome };
}

/** A model that no provider serves is the operator's mistake, not the caller's. */
function writeRequest(serve: ChatParts['serve'], request: ModelRequest): NativeRequest {
  try {
    return writeModelRequest(serve, request);
  } catch (cause) {
    const error = new SpillwayError('AUTH_FAILED', reasonOf(cause), { cause });
    throw new CallFailed({ error, isBegun: false, wasCalled: false });
  }
}

function modelRequest(
  parts: ChatParts,
  { request, decision, isCounted }: ReplyOrder,
  isJob: boolean,
): ModelRequest {
  const { catalogue, settings } = parts;
  const { id, principal, correlationId, startedAtMs } = request;
  return {
    id,
    principal: isCounted ? countedPrincipal(principal) : principal,
    headers: headersOf(request.headers, decision, isJob),
    correlationId,
    startedAtMs,
    model: categoryOf(parts, decision).model ?? settings.replyModel,
    system: systemPromptOf(catalogue, decision),
    turns: turnsOf(request),
    maxOutputTokens: settings.maxReplyTokens,
  };
}

function categoryOf({ catalogue }: ChatParts, { category }: Decision) {
  return catalogue.categories.get(category) ?? { model: undefined, run: 'now' };
}

/** The decision was counted as the caller's request; the reply counts its tokens. */
const countedPrincipal = createDerivedPrincipal({
  requestsPerMinute: undefined,
  keyRequestsPerMinute: undefined,
});

const PASSED_HEADERS = [
  'x-user-id',
  'x-request-deadline-ms',
  'x-spillway-degrade',
  'accept-language',
  'x-time-zone',
  'traceparent',
  'user-agent',
] as const;

function headersOf(
  given: IncomingHttpHeaders,
  { category }: Decision,
  isJob: boolean,
): IncomingHttpHeaders {
  const passed = PASSED_HEADERS.map((name) => [name, given[name]]);
  const own = { 'x-category': category, ...(isJob && { prefer: 'respond-async' }) };
  return { ...Object.fromEntries(passed), ...own };
}

function answered(own: NativeRequest, answer: OwnAnswer): Replied {
  return { outcome: { reply: readReply(own, answer) }, headers: answer.headers };
}

function readReply(own: NativeRequest, answer: OwnAnswer): string {
  try {
    return readModelText(own, answer);
  } catch (cause) {
    const params = { reason: 'error' } as const;
    const message = 'the reply cannot be read';
    const error = new SpillwayError('PROVIDER_UNAVAILABLE', message, { params, cause });
    throw new CallFailed({ error, isBegun: false, wasCalled: true });
  }
}

function queued({ outcome }: Call): Replied {
  if (outcome.kind === 'failed') throw new CallFailed(outcome.failure satisfies FailedRequest);
  const { body, headers } = outcome.answer;
  const receipt: { readonly id: string } = JSON.parse(body.toString('utf8'));
  return { outcome: { jobId: receipt.id }, headers };
}

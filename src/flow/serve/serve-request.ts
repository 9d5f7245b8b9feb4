// Serves a request at an AI endpoint, from its parsing to the caller's last byte:
//
//   plan → may this key use the model? → model-call ─┬→ answer ──┐
//                                                    ├→ events … ┼→ last byte → one log line
//                                                    └→ failure ─┘
//
// A caller that leaves ends the call; its usage up to then is still accounted.

import { SpillwayError } from '../../errors/spillway-error.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import { mayUse } from '../../routing/may-use.ts';
import { type CallOrder, type CallParts, deadlinesOf } from '../call/call-order.ts';
import { logEndedRequest } from '../call/log-call.ts';
import { ModelCall } from '../call/model-call.ts';
import type { ModelCallListener } from '../call/model-call-listener.ts';
import { type CallPlan, planCall } from '../call/plan-call.ts';
import { TranslatedListener } from '../translate/translated-listener.ts';
import { answerHeaders } from './answer-headers.ts';
import { type NativeRequest, readLabel } from './native-request.ts';
import { PartialRecorder } from './partial-recorder.ts';
import type { AnswerFailure, Reply, ServedRequest } from './reply.ts';
import { readDeadline } from './request-deadline.ts';
import type { RequestSlots } from './request-slots.ts';

export type ServeParts = CallParts & { readonly slots: RequestSlots };

export function serveRequest(
  parts: ServeParts,
  request: NativeRequest,
  reply: Reply,
  answerFailure: AnswerFailure,
): ServedRequest {
  const order = orderOf(parts, request);
  if (!parts.meter.isReady()) {
    throw new SpillwayError('CAPACITY_EXHAUSTED', 'usage journal unavailable');
  }
  parts.slots.acquire(order.payer.organizationId);
  const exchange = new Exchange(parts, request, order, reply, answerFailure);
  exchange.start();
  return exchange;
}

export function planRequest(parts: ServeParts, { route, headers, body }: NativeRequest): CallPlan {
  return planCall(route, headers, body, parts);
}

function orderOf(parts: ServeParts, request: NativeRequest): CallOrder {
  const { id, headers, principal, startedAtMs, correlationId } = request;
  const plan = planRequest(parts, request);
  assertMayUse(plan, request);
  const own = readDeadline(headers, startedAtMs, parts.clock);
  return {
    id,
    plan,
    payer: {
      organizationId: principal.organizationId,
      keyId: principal.keyId,
      userId: readLabel(headers['x-user-id']),
      category: readLabel(headers['x-category']),
    },
    budget: parts.terms.budgetOf(principal),
    principal,
    isBackground: false,
    caller: request,
    recordedUnder: { id, correlationId },
    traceParent: parts.tracer && readLabel(headers['traceparent']),
    startedAtMs,
    ...deadlinesOf(plan, startedAtMs, own, parts.attempts.timeouts),
  };
}

/** Throws FORBIDDEN for a model that is not on the key's list, including models that tools name. */
export function assertMayUse(
  { requestedModel, targets, stated }: CallPlan,
  { principal }: NativeRequest,
): void {
  if (!principal.models) return;
  const named = stated.features?.tools.flatMap(({ model }) => model ?? []) ?? [];
  const isAllowed = targets.every(
    (target) =>
      mayUse(principal.models, requestedModel, target) &&
      named.every((model) => mayUse(principal.models, model, { ...target, model })),
  );
  if (isAllowed) return;
  throw new SpillwayError('FORBIDDEN', `the key may not use ${requestedModel}`);
}

class Exchange implements ModelCallListener, ServedRequest {
  readonly #parts: ServeParts;
  readonly #request: NativeRequest;
  readonly #plan: CallPlan;
  readonly #reply: Reply;
  readonly #answerFailure: AnswerFailure;
  readonly #call: ModelCall;
  /** Records a stream's beginning, if request records are kept. */
  readonly #partial: PartialRecorder | undefined;
  #isBegun = false;
  #isAnswered = false;
  #isEnded = false;

  constructor(
    parts: ServeParts,
    request: NativeRequest,
    order: CallOrder,
    reply: Reply,
    answerFailure: AnswerFailure,
  ) {
    this.#parts = parts;
    this.#request = request;
    this.#plan = order.plan;
    this.#partial = parts.failures && order.plan.isStream ? new PartialRecorder() : undefined;
    this.#reply = reply;
    this.#answerFailure = answerFailure;
    const { translation } = order.plan;
    this.#call = new ModelCall(
      parts,
      order,
      translation ? new TranslatedListener(this, translation, () => this.#call) : this,
    );
  }

  start(): void {
    this.#call.start();
  }

  drained(): void {
    this.#call.resume();
  }

  gone(): void {
    if (this.#isEnded) return;
    this.#call.abandon((record) => this.#end(record, undefined));
  }

  onAnswer(body: Buffer, contentType: string, record: UsageRecord): void {
    const { length } = body;
    this.#begin(contentType, { length, costNanos: record.costNanos });
    this.#reply.end(body);
    this.#end(record, undefined);
  }

  onEvents(bytes: Buffer, contentType: string): boolean {
    if (!this.#isBegun) this.#begin(contentType, {});
    this.#partial?.add(bytes);
    return this.#reply.write(bytes);
  }

  onComplete(lastBytes: Buffer, contentType: string, record: UsageRecord): void {
    if (!this.#isBegun) this.#begin(contentType, {});
    this.#reply.end(lastBytes);
    this.#end(record, undefined);
  }

  onExpired(error: SpillwayError): void {
    this.#fail(error, true);
  }

  onFailed(error: SpillwayError, record: UsageRecord | undefined): void {
    if (!this.#isAnswered) this.#fail(error, record !== undefined);
    this.#end(record, error);
  }

  #fail(error: SpillwayError, wasCalled: boolean): void {
    this.#isAnswered = true;
    const { attempts, standings, retries } = this.#call;
    const hasRetried = retries > 0;
    const isBegun = this.#isBegun;
    if (isBegun) this.#recordPartial();
    const isLogged = true;
    this.#answerFailure({ error, isBegun, wasCalled, attempts, hasRetried, standings, isLogged });
  }

  /** The caller's stream is cut: its record shows what it had received. */
  #recordPartial(): void {
    const { failures } = this.#parts;
    if (!failures || !this.#partial) return;
    const { id, correlationId, principal } = this.#request;
    const { organizationId, keyId } = principal;
    const { text, bytes } = this.#partial.partial();
    const partial = { text: failures.redact(text), bytes };
    failures.records.cut({ id, correlationId, organizationId, keyId }, partial);
  }

  #begin(contentType: string, size: { readonly length?: number; readonly costNanos?: number }) {
    this.#isBegun = true;
    const { serverId, clock } = this.#parts;
    const { attempts, standings } = this.#call;
    const dropped = this.#plan.translation?.dropped;
    const facts = { ...size, contentType, attempts, standings, dropped, now: clock.now() };
    this.#reply.begin(200, answerHeaders(this.#request, serverId, facts));
  }

  #end(record: UsageRecord | undefined, error: SpillwayError | undefined): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const { slots, clock } = this.#parts;
    slots.release(this.#request.principal.organizationId);
    logEndedRequest(this.#parts, {
      request: this.#request,
      plan: this.#plan,
      record,
      error,
      attempts: this.#call.attempts,
      latencyMs: Math.round(clock.monotonic() - this.#request.startedAtMs),
    });
  }
}

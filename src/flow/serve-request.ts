// A request at an AI endpoint, from the decision where it goes to the caller's last byte:
//
//   plan → may it be called? → attempt ─┬→ answer ──┐
//                                       ├→ events … ┼→ meter → journal → last byte → one log line
//                                       └→ failure ─┘
//
// Each attempt leaves one usage record, and the record is in the journal before the caller has its answer.
// A caller who leaves aborts the attempt; what was used until then is accounted all the same.

import type { ProviderLimits } from '../admission/provider-limits.ts';
import { SpillwayError } from '../errors/spillway-error.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { NO_USAGE, type Usage } from '../kernel/usage.ts';
import type { Meter } from '../metering/meter.ts';
import type { ModelResolver } from '../routing/resolve-model.ts';
import { Attempt, type AttemptListener, type AttemptParts } from '../upstream/attempt.ts';
import { answerHeaders } from './answer-headers.ts';
import type { CallMetrics } from './call-metrics.ts';
import { type EndedCall, logEndedCall, usageRecordOf } from './ended-call.ts';
import { estimateUsage } from './estimate-usage.ts';
import type { NativeRequest } from './native-request.ts';
import { type CallPlan, planCall } from './plan-call.ts';
import { learnLimit, refuseWhileLimited } from './provider-limit.ts';
import { type FailureBook, recordFailedCall } from './record-failure.ts';
import type { Reply } from './reply.ts';

export type ServeParts = {
  readonly attempts: AttemptParts;
  readonly resolveModel: ModelResolver;
  readonly isReasoning: (model: string) => boolean;
  readonly limits: ProviderLimits;
  readonly meter: Meter;
  readonly metrics: CallMetrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly serverId: string;
  /** Where failures are written down for operators. */
  readonly failures?: FailureBook;
};

/** Answers a failure in the caller's format; `isBegun` when content has already gone out. */
export type AnswerFailure = (error: SpillwayError, isBegun: boolean) => void;

/** What the connection tells a request that is being served. */
export type ServedRequest = {
  /** The caller has read what was written. */
  drained(): void;
  /** The caller has left. */
  gone(): void;
};

export function serveRequest(
  parts: ServeParts,
  request: NativeRequest,
  reply: Reply,
  answerFailure: AnswerFailure,
): ServedRequest {
  const plan = planCall(request.route, request.headers, request.body, parts);
  admit(parts, plan);
  const exchange = new Exchange(parts, request, plan, reply, answerFailure);
  exchange.start();
  return exchange;
}

function admit({ meter, limits }: ServeParts, { target }: CallPlan): void {
  if (!meter.isPriced(target.provider, target.model)) {
    throw new SpillwayError('INVALID_REQUEST', `nobody knows the price of ${target.model}`, {
      params: { field: 'model' },
    });
  }
  refuseWhileLimited(limits, target);
  if (!meter.isReady()) {
    throw new SpillwayError('CAPACITY_EXHAUSTED', 'usage cannot be written down');
  }
}

class Exchange implements AttemptListener, ServedRequest {
  readonly #parts: ServeParts;
  readonly #request: NativeRequest;
  readonly #plan: CallPlan;
  readonly #reply: Reply;
  readonly #answerFailure: AnswerFailure;
  readonly #attempt: Attempt;
  #isBegun = false;
  #isSettled = false;

  constructor(
    parts: ServeParts,
    request: NativeRequest,
    plan: CallPlan,
    reply: Reply,
    answerFailure: AnswerFailure,
  ) {
    this.#parts = parts;
    this.#request = request;
    this.#plan = plan;
    this.#reply = reply;
    this.#answerFailure = answerFailure;
    this.#attempt = new Attempt(parts.attempts, plan, this);
  }

  start(): void {
    this.#attempt.start();
  }

  drained(): void {
    this.#attempt.resume();
  }

  gone(): void {
    if (this.#isSettled) return;
    this.#attempt.abort(new Error('the caller left'));
    const reported = this.#attempt.streamUsage();
    const usage = estimateUsage(reported, this.#plan.body, this.#attempt.streamedBytes());
    this.#settle('CLIENT_GONE', usage, true, () => {});
  }

  onAnswer(body: Buffer, contentType: string, reported: Usage | undefined): void {
    const usage = reported ?? estimateUsage(undefined, this.#plan.body, body.length);
    const costNanos = this.#costNanos(usage);
    this.#settle('OK', usage, reported === undefined, () => {
      const { serverId } = this.#parts;
      this.#reply.begin(
        200,
        answerHeaders(this.#request, serverId, { contentType, costNanos, length: body.length }),
      );
      this.#reply.end(body);
    });
  }

  onEvents(bytes: Buffer, contentType: string): boolean {
    this.#begin(contentType);
    return this.#reply.write(bytes);
  }

  onComplete(lastBytes: Buffer, contentType: string): void {
    const reported = this.#attempt.streamUsage();
    const usage =
      reported ?? estimateUsage(undefined, this.#plan.body, this.#attempt.streamedBytes());
    this.#settle('OK', usage, reported === undefined, () => {
      this.#begin(contentType);
      this.#reply.end(lastBytes);
    });
  }

  onFailed(error: SpillwayError): void {
    const { limits, clock, serverId } = this.#parts;
    learnLimit(limits, this.#plan.target, error, serverId, clock.now());
    recordFailedCall(this.#parts, this.#request, this.#plan.target, error);
    const usage = this.#isBegun
      ? estimateUsage(this.#attempt.streamUsage(), this.#plan.body, this.#attempt.streamedBytes())
      : NO_USAGE;
    this.#settle(
      error.code,
      usage,
      this.#isBegun,
      () => this.#answerFailure(error, this.#isBegun),
      error,
    );
  }

  #begin(contentType: string): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#reply.begin(200, answerHeaders(this.#request, this.#parts.serverId, { contentType }));
  }

  #costNanos(usage: Usage): number {
    const { provider, model } = this.#plan.target;
    return this.#parts.meter.costNanos(provider, model, usage);
  }

  /** Journal first, then `answer`, then the log: the order that makes every answered call an accounted one. */
  #settle(
    code: string,
    usage: Usage,
    isEstimated: boolean,
    answer: () => void,
    error?: SpillwayError,
  ): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const { meter, metrics, clock, log } = this.#parts;
    const { target, isStream } = this.#plan;
    const call: EndedCall = {
      target,
      code,
      usage,
      isEstimated,
      isStream,
      latencyMs: Math.round(clock.monotonic() - this.#request.startedAtMs),
      costNanos: this.#costNanos(usage),
      endedAt: clock.now(),
    };
    meter.record(usageRecordOf(this.#request, call), () => {
      answer();
      metrics.ended(target.provider, target.model, code, call.latencyMs, usage, call.costNanos);
      logEndedCall(log, this.#request, call, error);
    });
  }
}

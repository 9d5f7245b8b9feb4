// Takes permits of one limit for jobs, at the pace of the limit. All code of the process that uses the limit shares the pacer.
//
// A job that has not waited asks the limiter immediately while no job waits. When it is refused and its slot opens within its
// patience, it waits here, ordered by due time; for a longer wait the limiter gives it a due time from the count that all
// servers share, and the caller delays it. Waiting jobs ask one interval apart, because a window that was used up in a burst
// also reopens in a burst, which must not reach the provider. Jobs that are all late after a stall keep nine tenths of the
// distances between their due times and, right before their calls, between their permits; due times are spread over all
// servers, and so are the late calls. While the shared counts are unavailable every job is answered `stay`.

import { type Clock, sleep } from '../../kernel/clock.ts';
import type { NewId } from '../../kernel/ids.ts';
import { intervalMs } from '../../resilience/due-times.ts';
import type {
  Limit,
  PermitAsk,
  PermitDecision,
  RateLimiter,
} from '../../resilience/rate-limiter.ts';

export type PacerAnswer =
  /** Without a permit where the job exceeds a whole limit, which its call then reports. */
  | { readonly kind: 'allowed'; readonly permit?: PacedPermit | undefined }
  /** The job is due after this long; delay it until then. */
  | { readonly kind: 'later'; readonly afterMs: number }
  /** Keep the job in memory and ask again: the counts are unavailable, or the signal was aborted. */
  | { readonly kind: 'stay'; readonly afterMs: number };

export type PacedPermit = {
  readonly ask: PermitAsk;
  /** Monotonic; the permit may count from then on. */
  readonly askedAtMs: number;
  /** Awaited right before the call: a stall since the permit may have delayed other calls too. */
  waitForTurn(signal: AbortSignal): Promise<void>;
};

export type PacerRequest = {
  readonly tokens?: number;
  /** The due time of a job that has waited. */
  readonly dueAt?: number | undefined;
  /**
   * The longest wait for a slot that the job spends here. Absent, it takes a slot that is free now or none, and no due time.
   * Infinite, it takes no due time either and does not queue behind due times.
   */
  readonly patienceMs?: number | undefined;
  /** Once aborted, the job is answered `stay`. */
  readonly signal?: AbortSignal | undefined;
};

export type PacerParts = {
  readonly limiter: Pick<RateLimiter, 'take' | 'giveBack'>;
  readonly clock: Clock;
  readonly newId: NewId;
};

/** Ordered by `orderAt`, epoch time; it asks from `fromMs` on, monotonic. */
type Waiting = {
  readonly request: PacerRequest;
  readonly orderAt: number;
  readonly fromMs: number;
  readonly resolve: (answer: PacerAnswer) => void;
};

/** Of an ask or a call: when it was due, and when it started, monotonic. */
type Start = { readonly dueAt: number; readonly atMs: number };

/** The slot opens within the job's patience. */
type Refusal = { readonly kind: 'refused'; readonly waitMs: number };

/** How long an unsettled permit outlives the process that took it: longer than any call. */
const EXPIRES_MS = 900_000;
const KEPT_PART = 0.9;
/** The assumed maximum number of other servers' due times between two due times of this server. */
const MAX_DISTANCE_INTERVALS = 8;
/** The maximum lateness of timers, as on a busy machine, that is compensated. */
const MAX_CATCH_UP_MS = 150;
/** A slot may be given back before it expires: the limiter is asked at least this often. */
const MAX_BLOCKED_MS = 1000;
const ENDLESS = Number.POSITIVE_INFINITY;
const NO_START: Start = { dueAt: 0, atMs: Number.NEGATIVE_INFINITY };

export class Pacer {
  readonly #parts: PacerParts;
  readonly #limits: readonly Limit[];
  readonly #intervalMs: number;
  readonly #queue: Waiting[] = [];
  /** The last ask and the last call of jobs that waited. */
  #lastAsk = NO_START;
  #lastCall = NO_START;
  #cancelTimer = (): void => {};

  /** The interval is that of the first limit. */
  constructor(parts: PacerParts, limits: readonly Limit[]) {
    const [limit] = limits;
    this.#parts = parts;
    this.#limits = limits;
    this.#intervalMs = limit ? intervalMs({ ...limit, max: Math.max(1, limit.max) }) : 0;
  }

  async acquire(request: PacerRequest): Promise<PacerAnswer> {
    const { dueAt, patienceMs } = request;
    const now = this.#parts.clock.monotonic();
    const spacedAtMs = this.#lastAsk.atMs + KEPT_PART * this.#intervalMs;
    const behindMs = Math.max(0, spacedAtMs - now, this.#queue.length * this.#intervalMs);
    if (patienceMs === undefined && behindMs > 0)
      return { kind: 'later', afterMs: Math.ceil(behindMs) };
    const isShortWait = behindMs > 0 && behindMs < (patienceMs ?? 0);
    if (patienceMs !== undefined && (isShortWait || dueAt !== undefined))
      return this.#wait(request);
    if (dueAt !== undefined) this.#lastAsk = { ...this.#after(this.#lastAsk, dueAt), atMs: now };
    const answer = await this.#ask(request, behindMs);
    if (answer.kind !== 'refused') return answer;
    if (patienceMs === undefined) return { kind: 'later', afterMs: answer.waitMs };
    return this.#wait(request, answer);
  }

  #wait(request: PacerRequest, refusal?: Refusal): Promise<PacerAnswer> {
    const { promise, resolve } = Promise.withResolvers<PacerAnswer>();
    const orderAt = request.dueAt ?? this.#parts.clock.now();
    this.#insert({ request, orderAt, fromMs: 0, resolve }, refusal);
    // One listener for all jobs that share a signal.
    request.signal?.addEventListener('abort', this.#pump, { once: true });
    this.#pump();
    return promise;
  }

  /** A refused job asks again when its slot opens; at its first refusal that becomes its due time. */
  #insert(waiting: Waiting, refusal?: Refusal): void {
    const { clock } = this.#parts;
    const { request } = waiting;
    const blockedMs = Math.min(refusal?.waitMs ?? 0, MAX_BLOCKED_MS);
    const fromMs = clock.monotonic() + blockedMs;
    const isFirst = refusal && request.dueAt === undefined && request.patienceMs !== ENDLESS;
    const orderAt = isFirst ? clock.now() + blockedMs : waiting.orderAt;
    const asked = isFirst ? { ...request, dueAt: orderAt } : request;
    const last = this.#queue.findLastIndex((other) => other.orderAt <= orderAt);
    this.#queue.splice(last + 1, 0, { ...waiting, request: asked, orderAt, fromMs });
  }

  readonly #pump = (): void => {
    const { clock } = this.#parts;
    this.#cancelTimer();
    this.#dismissAborted();
    for (let [next] = this.#queue; next; [next] = this.#queue) {
      const now = clock.monotonic();
      const { dueAt, atMs } = this.#after(this.#lastAsk, next.request.dueAt);
      const startAtMs = Math.max(next.fromMs, atMs);
      if (startAtMs > now) {
        this.#cancelTimer = clock.after(Math.max(1, Math.ceil(startAtMs - now)), this.#pump);
        return;
      }
      this.#queue.shift();
      this.#lastAsk = { dueAt, atMs: Math.max(startAtMs, now - MAX_CATCH_UP_MS) };
      void this.#askForWaiting(next);
    }
  };

  #dismissAborted(): void {
    for (const waiting of this.#queue.filter(({ request }) => request.signal?.aborted)) {
      this.#queue.splice(this.#queue.indexOf(waiting), 1);
      waiting.resolve({ kind: 'stay', afterMs: 1 });
    }
  }

  /** The start after the last one: in due times at least `minMs` later, in time nine tenths of that distance. */
  #after(last: Start, dueAt = 0, minMs = this.#intervalMs): Start {
    const dueInMs = Math.max(dueAt - last.dueAt, minMs);
    const distanceMs = Math.min(dueInMs, MAX_DISTANCE_INTERVALS * this.#intervalMs);
    return { dueAt: last.dueAt + dueInMs, atMs: last.atMs + KEPT_PART * distanceMs };
  }

  async #askForWaiting(waiting: Waiting): Promise<void> {
    const answer = await this.#ask(waiting.request);
    // The job got no permit, so its distance does not count: the next job may go as soon as its slot opens.
    if (answer.kind !== 'allowed') this.#lastAsk = NO_START;
    if (answer.kind === 'refused') this.#insert(waiting, answer);
    else waiting.resolve(answer);
    this.#pump();
  }

  /** `behindMs` is absent for the job that is next. */
  async #ask(request: PacerRequest, behindMs?: number): Promise<PacerAnswer | Refusal> {
    const { limiter, clock, newId } = this.#parts;
    const { tokens = 0, dueAt, patienceMs = Number.MAX_SAFE_INTEGER } = request;
    const queueing = { hasWaited: dueAt !== undefined, behindMs: behindMs ?? 0, patienceMs };
    const ask: PermitAsk = {
      // Two copies of one message must not share a permit.
      id: newId('att'),
      limits: this.#limits,
      tokens,
      expiresMs: EXPIRES_MS,
      isBackground: true,
      queueing: patienceMs === ENDLESS ? undefined : queueing,
    };
    const askedAtMs = clock.monotonic();
    const decision = await new Promise<PermitDecision>((resolve) => limiter.take(ask, resolve));
    if (!decision.isAllowed) return answerTo(decision);
    const hasWaited = behindMs === undefined || dueAt !== undefined;
    const waitForTurn = async (signal: AbortSignal) =>
      hasWaited ? this.#waitForTurn(askedAtMs, signal) : undefined;
    return { kind: 'allowed', permit: { ask, askedAtMs, waitForTurn } };
  }

  async #waitForTurn(askedAtMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    const now = clock.monotonic();
    // A call that later calls have overtaken starts immediately, so that its permit does not become stale.
    const { dueAt, atMs } = this.#after(this.#lastCall, askedAtMs, 0);
    this.#lastCall = { dueAt, atMs: Math.max(atMs, now) };
    if (atMs > now) await sleep(clock, Math.ceil(atMs - now), signal).catch(() => {});
  }
}

function answerTo(decision: Extract<PermitDecision, { isAllowed: false }>): PacerAnswer | Refusal {
  const { binding, dueInMs, retryAfterMs } = decision;
  if (!binding) return { kind: 'stay', afterMs: retryAfterMs ?? MAX_BLOCKED_MS };
  if (retryAfterMs === undefined) return { kind: 'allowed' };
  if (dueInMs !== undefined) return { kind: 'later', afterMs: Math.max(1, dueInMs) };
  return { kind: 'refused', waitMs: retryAfterMs };
}

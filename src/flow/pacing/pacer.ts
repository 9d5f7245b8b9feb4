// Takes permits of one limit for jobs, at the pace of the limit; everything in the process that shares the limit shares the
// pacer. A job that has not waited asks the limiter at once while no job waits. When it is refused and its slot opens
// within its patience, it waits here, ordered by due time; for a longer wait the limiter gives it a due time from the count
// that all servers share, and the caller delays it. Only the first waiting jobs ask, one interval apart: a window that was
// used up in a burst opens in a burst, which is not passed on. Jobs that are late all at once, after a stall, keep nine
// tenths of the distances of their due times, and once more before their calls those of their permits; as due times are
// spread over all servers, so is the catching up.
// While the shared counts are unavailable no due time is known, and every job is answered `stay`.

import { type Clock, sleep } from '../../kernel/clock.ts';
import { intervalMs } from '../../resilience/due-times.ts';
import type {
  Limit,
  PermitAsk,
  PermitDecision,
  RateLimiter,
} from '../../resilience/rate-limiter.ts';

export type PacerAnswer =
  | { readonly kind: 'allowed'; readonly permit: PacedPermit }
  /** The job is due after this long; delay it until then. */
  | { readonly kind: 'later'; readonly afterMs: number }
  /** Keep the job in memory and ask again: the counts are unavailable, or the signal was aborted. */
  | { readonly kind: 'stay'; readonly afterMs: number }
  /** The job is larger than the whole limit. */
  | { readonly kind: 'never' };

export type PacedPermit = {
  readonly ask: PermitAsk;
  /** Monotonic; the permit may count from then on. */
  readonly askedAtMs: number;
  /** The job waited for it. */
  readonly isPaced: boolean;
};

export type PacerRequest = {
  /** Unique for each request: two copies of one message must not share a permit. */
  readonly id: string;
  readonly tokens?: number;
  /** When the slot of a job that has waited was to open. */
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
};

/** Ordered by `orderAt`, epoch time; it asks from `fromMs` on, monotonic. */
type Waiting = {
  readonly request: PacerRequest;
  readonly orderAt: number;
  readonly fromMs: number;
  readonly resolve: (answer: PacerAnswer) => void;
};

/** The slot opens within the job's patience. */
type Refusal = { readonly kind: 'refused'; readonly waitMs: number };

/** How long an unsettled permit outlives the process that took it: longer than any call. */
const EXPIRES_MS = 900_000;
const KEPT_PART = 0.9;
/** Due times of one server are at most this many intervals apart when other servers have those between; else it is a gap. */
const MAX_DISTANCE_INTERVALS = 8;
const MIN_GAP_INTERVALS = 32;
const MAX_TURN_WAIT_MS = 5000;
/** Late timers are made up for, up to this. */
const MAX_CATCH_UP_MS = 50;
/** A job that comes this soon after a paced one is paced too. */
const PACING_ENDS_MS = 250;
/** A slot may be given back before it expires: the limiter is asked at least this often. */
const MAX_BLOCKED_MS = 1000;
/** An answer may take this long; asks overlap so that no slot is missed meanwhile. */
const ANSWER_MS = 20;
const MAX_ASKING = 16;
const PAUSE_MS = 1000;
const NEVER = { dueAt: Number.NEGATIVE_INFINITY, letOnAtMs: Number.NEGATIVE_INFINITY };

export class Pacer {
  readonly #parts: PacerParts;
  readonly #limits: readonly Limit[];
  readonly #intervalMs: number;
  readonly #maxAsking: number;
  readonly #queue: Waiting[] = [];
  #asking = 0;
  #blockedUntilMs = Number.NEGATIVE_INFINITY;
  /** The last waiting job that was let on to the limiter, and the last one that was let on to its call. */
  #last = NEVER;
  #lastCall = NEVER;
  #cancelTimer = (): void => {};

  /** The interval is that of the first limit. */
  constructor(parts: PacerParts, limits: readonly Limit[]) {
    const [limit] = limits;
    this.#parts = parts;
    this.#limits = limits;
    this.#intervalMs = limit ? intervalMs({ ...limit, max: Math.max(1, limit.max) }) : 0;
    this.#maxAsking = Math.min(MAX_ASKING, Math.ceil(ANSWER_MS / Math.max(1, this.#intervalMs)));
  }

  async acquire(request: PacerRequest): Promise<PacerAnswer> {
    const { dueAt, patienceMs } = request;
    const now = this.#parts.clock.monotonic();
    const waiting = this.#queue.length + this.#asking;
    const spacedAtMs = this.#last.letOnAtMs + KEPT_PART * this.#intervalMs;
    const behindMs = Math.max(0, spacedAtMs - now, waiting * this.#intervalMs);
    if (patienceMs === undefined) {
      if (behindMs > 0) return { kind: 'later', afterMs: Math.ceil(behindMs) };
      if (dueAt !== undefined) this.#last = { dueAt, letOnAtMs: now };
    } else {
      const isPacing =
        waiting > 0 || now < this.#last.letOnAtMs + this.#intervalMs + PACING_ENDS_MS;
      if (dueAt !== undefined || (isPacing && behindMs < patienceMs)) return this.#wait(request);
    }
    const answer = await this.#ask(request, behindMs);
    if (answer.kind !== 'refused') return answer;
    const afterMs = answer.waitMs;
    return patienceMs === undefined ? { kind: 'later', afterMs } : this.#wait(request, answer);
  }

  /** Right before the call of a paced job: a stall since its permit has held up the others too. */
  async waitForTurn({ askedAtMs }: PacedPermit, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    const now = clock.monotonic();
    const spacedAtMs = this.#spacedAtMs(this.#lastCall, askedAtMs);
    const letOnAtMs = Math.min(Math.max(now, spacedAtMs), now + MAX_TURN_WAIT_MS);
    this.#lastCall = { dueAt: Math.max(askedAtMs, this.#lastCall.dueAt), letOnAtMs };
    if (letOnAtMs > now) await sleep(clock, Math.ceil(letOnAtMs - now), signal).catch(() => {});
  }

  /** A refused job has waited from then on, and asks again when its slot opens. */
  #wait(request: PacerRequest, refusal?: Refusal): Promise<PacerAnswer> {
    const { clock } = this.#parts;
    const { dueAt = clock.now(), signal } = request;
    const waitMs = Math.min(refusal?.waitMs ?? 0, MAX_BLOCKED_MS);
    const orderAt = dueAt + waitMs;
    const asked = refusal && isQueueing(request) ? { ...request, dueAt: orderAt } : request;
    const fromMs = clock.monotonic() + waitMs;
    return new Promise((resolve) => {
      this.#insert({ request: asked, orderAt, fromMs, resolve });
      // The same listener for all jobs that share a signal.
      signal?.addEventListener('abort', this.#pump, { once: true });
      this.#pump();
    });
  }

  #insert(waiting: Waiting): void {
    const last = this.#queue.findLastIndex(({ orderAt }) => orderAt <= waiting.orderAt);
    this.#queue.splice(last + 1, 0, waiting);
  }

  readonly #pump = (): void => {
    const { clock } = this.#parts;
    this.#cancelTimer();
    this.#dismissAborted();
    for (let [next] = this.#queue; next && this.#asking < this.#maxAsking; [next] = this.#queue) {
      const now = clock.monotonic();
      const startAtMs = this.#startAtMs(next);
      if (startAtMs > now) {
        this.#cancelTimer = clock.after(Math.max(1, Math.ceil(startAtMs - now)), this.#pump);
        return;
      }
      this.#queue.shift();
      void this.#letOn(next, startAtMs);
    }
  };

  #dismissAborted(): void {
    for (const waiting of this.#queue.filter(({ request }) => request.signal?.aborted)) {
      this.#queue.splice(this.#queue.indexOf(waiting), 1);
      waiting.resolve({ kind: 'stay', afterMs: 1 });
    }
  }

  #startAtMs({ request: { dueAt = this.#last.dueAt }, fromMs }: Waiting): number {
    const spacedAtMs = this.#spacedAtMs(
      this.#last,
      Math.max(dueAt, this.#last.dueAt + this.#intervalMs),
    );
    return Math.max(this.#blockedUntilMs, fromMs, spacedAtMs);
  }

  #spacedAtMs(last: typeof NEVER, dueAt: number): number {
    const intervals = (dueAt - last.dueAt) / this.#intervalMs;
    const isGap = !(intervals < MIN_GAP_INTERVALS);
    const distance = isGap ? 1 : Math.min(Math.max(intervals, 0), MAX_DISTANCE_INTERVALS);
    return last.letOnAtMs + KEPT_PART * distance * this.#intervalMs;
  }

  async #letOn(waiting: Waiting, startAtMs: number): Promise<void> {
    const { clock } = this.#parts;
    const { dueAt = this.#last.dueAt } = waiting.request;
    const now = clock.monotonic();
    const letOnAtMs = now - startAtMs <= MAX_CATCH_UP_MS ? startAtMs : now;
    this.#last = { dueAt: Math.max(dueAt, this.#last.dueAt), letOnAtMs };
    this.#asking += 1;
    const answer = await this.#ask(waiting.request);
    this.#asking -= 1;
    // Without a permit the job kept its distance in vain: the next one may go as soon as its slot opens.
    if (answer.kind !== 'allowed') this.#last = { ...this.#last, letOnAtMs: NEVER.letOnAtMs };
    if (answer.kind === 'refused') this.#putBack(waiting, answer);
    else waiting.resolve(answer);
    this.#pump();
  }

  #putBack(waiting: Waiting, refusal: Refusal): void {
    const { request, resolve } = waiting;
    if (isQueueing(request) && request.dueAt === undefined)
      return void this.#wait(request, refusal).then(resolve);
    const blockedMs = Math.min(refusal.waitMs, MAX_BLOCKED_MS);
    this.#blockedUntilMs = this.#parts.clock.monotonic() + blockedMs;
    this.#insert(waiting);
  }

  /** `behindMs` is absent for a job whose turn it is. */
  async #ask(request: PacerRequest, behindMs?: number): Promise<PacerAnswer | Refusal> {
    const { limiter, clock } = this.#parts;
    const { id, tokens = 0, dueAt, patienceMs = Number.MAX_SAFE_INTEGER } = request;
    const queueing = { hasWaited: dueAt !== undefined, behindMs: behindMs ?? 0, patienceMs };
    const ask: PermitAsk = {
      id,
      limits: this.#limits,
      tokens,
      expiresMs: EXPIRES_MS,
      isBackground: true,
      queueing: isQueueing(request) ? queueing : undefined,
    };
    const askedAtMs = clock.monotonic();
    const decision = await new Promise<PermitDecision>((resolve) => limiter.take(ask, resolve));
    if (!decision.isAllowed) return answerTo(decision);
    const isPaced = behindMs === undefined || dueAt !== undefined;
    return { kind: 'allowed', permit: { ask, askedAtMs, isPaced } };
  }
}

function isQueueing({ patienceMs }: PacerRequest): boolean {
  return patienceMs !== Number.POSITIVE_INFINITY;
}

function answerTo(decision: Extract<PermitDecision, { isAllowed: false }>): PacerAnswer | Refusal {
  const { binding, dueInMs, retryAfterMs } = decision;
  if (!binding) return { kind: 'stay', afterMs: retryAfterMs ?? PAUSE_MS };
  if (retryAfterMs === undefined) return { kind: 'never' };
  if (dueInMs !== undefined) return { kind: 'later', afterMs: Math.max(1, dueInMs) };
  return { kind: 'refused', waitMs: retryAfterMs };
}

// Takes permits of one limit for jobs, at the pace of the limit; everything in the process that shares the limit shares the
// pacer. A job that has not waited asks the limiter at once while no job waits. When it is refused and its slot opens
// within its patience, it waits here, ordered by due time; for a longer wait the limiter gives it a due time from the count
// that all servers share, and the caller delays it. Only the first waiting jobs ask, one interval apart: a window that was
// used up in a burst opens in a burst, which is not passed on. Jobs that are late all at once, after a stall, keep nine
// tenths of the distances of their due times; as due times are spread over all servers, so is the catching up.
// While the shared counts are unavailable no due time is known, and every job is answered `stay`.

import type { Clock } from '../../kernel/clock.ts';
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
  /** Keep the job in memory and ask again: its patience is over, or the counts are unavailable. */
  | { readonly kind: 'stay'; readonly afterMs: number }
  /** The job is larger than the whole limit. */
  | { readonly kind: 'never' };

/** `askedAtMs` is monotonic; the permit may count from then on. `isPaced`: the job waited for it. */
export type PacedPermit = {
  readonly ask: PermitAsk;
  readonly askedAtMs: number;
  readonly isPaced: boolean;
};

export type PacerRequest = {
  /** Unique for each request: two copies of one message must not share a permit. */
  readonly id: string;
  readonly tokens?: number;
  /** When the slot of a job that has waited was to open, or when the permit that it renews was taken. */
  readonly dueAt?: number | undefined;
  readonly isRenewal?: boolean;
  /** How long the job may wait here. An infinite patience neither takes a due time nor queues behind due times. */
  readonly patienceMs: number;
  /** Once aborted, the job is answered `stay`. */
  readonly signal?: AbortSignal | undefined;
};

export type PacerParts = {
  readonly limiter: Pick<RateLimiter, 'take' | 'giveBack'>;
  readonly clock: Clock;
};

type Waiting = {
  readonly request: PacerRequest;
  /** Epoch time that orders the queue, and monotonic bounds of the wait. */
  readonly orderAt: number;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly resolve: (answer: PacerAnswer) => void;
};

/** The slot opens within the job's patience. */
type Refusal = { readonly kind: 'refused'; readonly waitMs: number };

/** How long an unsettled permit outlives the process that took it: longer than any call. */
const EXPIRES_MS = 900_000;
const KEPT_PART = 0.9;
/** Due times of one server are this many intervals apart at most, if other servers have those between; else it was a gap. */
const MAX_DISTANCE_INTERVALS = 8;
const MIN_GAP_INTERVALS = 32;
/** Late timers are made up for, up to this. */
const MAX_CATCH_UP_MS = 50;
/** A job that comes this soon after a paced one is paced too. */
const PACING_ENDS_MS = 250;
/** A slot may be given back before it expires: the limiter is asked at least this often. */
const MAX_BLOCKED_MS = 1000;
/** An answer may take this long, and asks overlap so that no slot is missed meanwhile. */
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
  /** The last job that was let on, and the last renewal, which has kept its distance once before. */
  #last = NEVER;
  #lastRenewal = NEVER;
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
    if (request.dueAt !== undefined || this.#isPacedFor(request)) return this.#wait(request);
    const answer = await this.#ask(request, false);
    return answer.kind === 'refused' ? this.#wait(request, answer) : answer;
  }

  /** Takes a slot that is free now and that no waiting job is entitled to; gives no due time. */
  async tryNow(request: PacerRequest): Promise<PacerAnswer> {
    const afterMs = Math.ceil(this.#behindMs());
    if (afterMs > 0) return { kind: 'later', afterMs };
    const { dueAt } = request;
    if (dueAt !== undefined) this.#last = { dueAt, letOnAtMs: this.#parts.clock.monotonic() };
    const answer = await this.#ask({ ...request, patienceMs: Number.MAX_SAFE_INTEGER }, false);
    return answer.kind === 'refused' ? { kind: 'later', afterMs: answer.waitMs } : answer;
  }

  #isPacedFor({ patienceMs }: PacerRequest): boolean {
    const idleMs = this.#parts.clock.monotonic() - this.#last.letOnAtMs;
    const isPacing = this.#waiting > 0 || idleMs < this.#intervalMs + PACING_ENDS_MS;
    return isPacing && this.#behindMs() < patienceMs;
  }

  get #waiting(): number {
    return this.#queue.length + this.#asking;
  }

  /** How long the waiting jobs of this process take. */
  #behindMs(): number {
    const spacedAtMs = this.#last.letOnAtMs + KEPT_PART * this.#intervalMs;
    const spacingMs = spacedAtMs - this.#parts.clock.monotonic();
    return Math.max(0, spacingMs, this.#waiting * this.#intervalMs);
  }

  /** A job that was refused has waited from then on, and asks again when its slot opens. */
  #wait(request: PacerRequest, refusal?: Refusal): Promise<PacerAnswer> {
    const { clock } = this.#parts;
    const { dueAt = clock.now(), patienceMs, signal } = request;
    const { waitMs } = refusal ?? { waitMs: 0 };
    const orderAt = dueAt + waitMs;
    const asked = refusal && isQueueing(request) ? { ...request, dueAt: orderAt } : request;
    const fromMs = clock.monotonic() + waitMs;
    return new Promise((resolve) => {
      this.#insert({ request: asked, orderAt, fromMs, untilMs: fromMs + patienceMs, resolve });
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
    this.#dismissOverdue();
    while (this.#asking < this.#maxAsking) {
      const [next] = this.#queue;
      if (!next) return;
      const startAtMs = this.#startAtMs(next);
      if (startAtMs > clock.monotonic()) return this.#wakeUpAt(startAtMs);
      this.#queue.shift();
      void this.#askFor(next, startAtMs);
    }
  };

  #dismissOverdue(): void {
    const now = this.#parts.clock.monotonic();
    const isOver = ({ request: { signal }, untilMs }: Waiting) => signal?.aborted || now >= untilMs;
    for (const waiting of this.#queue.filter(isOver)) {
      this.#queue.splice(this.#queue.indexOf(waiting), 1);
      waiting.resolve({ kind: 'stay', afterMs: 1 });
    }
  }

  #wakeUpAt(startAtMs: number): void {
    const { clock } = this.#parts;
    const atMs = Math.min(startAtMs, ...this.#queue.map(({ untilMs }) => untilMs));
    this.#cancelTimer = clock.after(Math.max(1, Math.ceil(atMs - clock.monotonic())), this.#pump);
  }

  #startAtMs({ request, fromMs }: Waiting): number {
    const last = request.isRenewal ? this.#lastRenewal : this.#last;
    const { dueAt = last.dueAt } = request;
    const intervals = (dueAt - last.dueAt) / this.#intervalMs;
    const isGap = !(intervals < MIN_GAP_INTERVALS);
    const distance = isGap ? 1 : Math.min(Math.max(intervals, 1), MAX_DISTANCE_INTERVALS);
    const spacedAtMs = last.letOnAtMs + KEPT_PART * distance * this.#intervalMs;
    return Math.max(this.#blockedUntilMs, fromMs, spacedAtMs);
  }

  async #askFor(waiting: Waiting, startAtMs: number): Promise<void> {
    const { request } = waiting;
    this.#letOn(request, startAtMs);
    this.#asking += 1;
    const answer = await this.#ask(request, true);
    this.#asking -= 1;
    // The refused job kept its distance in vain; the next one may go as soon as its slot opens.
    if (answer.kind === 'refused') this.#last = { ...NEVER, dueAt: this.#last.dueAt };
    if (answer.kind !== 'refused') waiting.resolve(answer);
    else if (isQueueing(request) && request.dueAt === undefined)
      void this.#wait(request, answer).then(waiting.resolve);
    else {
      const blockedMs = Math.min(answer.waitMs, MAX_BLOCKED_MS);
      this.#blockedUntilMs = this.#parts.clock.monotonic() + blockedMs;
      this.#insert(waiting);
    }
    this.#pump();
  }

  #letOn({ dueAt = this.#last.dueAt, isRenewal }: PacerRequest, startAtMs: number): void {
    const now = this.#parts.clock.monotonic();
    const letOnAtMs = now - startAtMs <= MAX_CATCH_UP_MS ? startAtMs : now;
    if (isRenewal) this.#lastRenewal = { dueAt, letOnAtMs };
    this.#last = { dueAt: isRenewal ? this.#last.dueAt : dueAt, letOnAtMs };
  }

  async #ask(request: PacerRequest, isPaced: boolean): Promise<PacerAnswer | Refusal> {
    const { limiter, clock } = this.#parts;
    const { id, tokens = 0, dueAt, patienceMs } = request;
    const behindMs = isPaced ? 0 : this.#behindMs();
    const ask: PermitAsk = {
      id,
      limits: this.#limits,
      tokens,
      expiresMs: EXPIRES_MS,
      isBackground: true,
      queueing: isQueueing(request)
        ? { hasWaited: dueAt !== undefined, behindMs, patienceMs }
        : undefined,
    };
    const askedAtMs = clock.monotonic();
    const decision = await new Promise<PermitDecision>((resolve) => limiter.take(ask, resolve));
    return decision.isAllowed
      ? { kind: 'allowed', permit: { ask, askedAtMs, isPaced } }
      : answerTo(decision);
  }
}

function isQueueing({ patienceMs }: PacerRequest): boolean {
  return patienceMs < Number.POSITIVE_INFINITY;
}

function answerTo(decision: Extract<PermitDecision, { isAllowed: false }>): PacerAnswer | Refusal {
  const { binding, dueInMs, retryAfterMs } = decision;
  if (!binding) return { kind: 'stay', afterMs: retryAfterMs ?? PAUSE_MS };
  if (retryAfterMs === undefined) return { kind: 'never' };
  if (dueInMs !== undefined) return { kind: 'later', afterMs: Math.max(1, dueInMs) };
  return { kind: 'refused', waitMs: retryAfterMs };
}

// Rate limits of a cluster, counted in Redis: asks gather while a batch is under way and are decided there by one
// script, on its clock. What has ended or is given back travels with them and nobody waits for it.
//
// States, and what ends them:
//   shared   Redis decides. → alone, when a batch fails or is late, or Redis is of another epoch: it has lost its data.
//   alone    This server decides by its safe share (safe-share); background work pauses. It tries to rejoin whenever
//            Redis is up: it tells the servers it knew, for which a share is then kept free until they are back too or
//            15 s have passed, and what it admitted that Redis has not counted; of another epoch everything it admitted
//            in the last window, and what it last saw of each limit. → shared, when that is told; the little admitted
//            meanwhile goes ahead of its next batch.
//   closed   From either; asks are then decided as alone.
//
// A permit has an id, and to take or tell it twice is to count it once: so an ask whose batch was not answered is
// decided here and told again, or given back, without its being known whether Redis has done it.

import type { CancelTimer, Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Metrics } from '../../../kernel/metrics.ts';
import type {
  Limit,
  LimitStanding,
  PermitAsk,
  PermitDecision,
  RateLimiter,
} from '../../../resilience/rate-limiter.ts';
import type { RedisLink } from '../connection/open-redis.ts';
import { type Errand, ErrandBatches, MAX_AT_ONCE } from './errand-batches.ts';
import { ObservedLimits } from './observed-limits.ts';
import { OwnAdmissions } from './own-admissions.ts';
import {
  decisionOf,
  lookOperation,
  type Operation,
  type ReturnedPermit,
  settleOperation,
  standingsOf,
  takeOperation,
} from './rate-limit-call.ts';
import { rateLimitKeys } from './rate-limit-keys.ts';
import { RateLimitSession } from './rate-limit-session.ts';
import { SafeShare } from './safe-share.ts';
import { createSharingNotice, type SharingNotice } from './sharing-notice.ts';
import { UntoldErrands } from './untold-errands.ts';

export type RedisRateLimiterParts = {
  readonly link: RedisLink;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly serverId: string;
  readonly keyPrefix: string;
  readonly ttlMs: number;
};

const BEAT_MS = 2000;
/** A server that misses three beats is gone. */
const GONE_MS = 3 * BEAT_MS;
/** Longer than a server needs to be back; only the share of one that never comes lies idle for so long. */
const AWAIT_MS = 15_000;
const MAX_LOOKS = 200;
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 1000;

/** Resolves when limits are shared, or when it is clear that Redis is away. */
export async function openRateLimiter(parts: RedisRateLimiterParts): Promise<RateLimiter> {
  const limiter = new RedisRateLimiter(parts);
  await limiter.open();
  return limiter;
}

class RedisRateLimiter implements RateLimiter {
  readonly #parts: RedisRateLimiterParts;
  readonly #places: ObservedLimits;
  readonly #session: RateLimitSession;
  readonly #batches: ErrandBatches;
  readonly #own = new OwnAdmissions();
  readonly #notice: SharingNotice;
  readonly #untold = new UntoldErrands(this.#own);
  #alone: SafeShare | undefined;
  #isClosed = false;
  #isTellingAgain = false;
  #rejoining: Promise<void> | undefined;
  #retryMs = FIRST_RETRY_MS;
  #cancelRetry: CancelTimer | undefined;
  #cancelBeat: CancelTimer | undefined;

  constructor(parts: RedisRateLimiterParts) {
    const { link, clock, log, metrics, keyPrefix, ttlMs } = parts;
    // Two processes of one server are two to the others.
    const serverId = `${parts.serverId}:${clock.random().toString(36).slice(2, 8)}`;
    this.#parts = parts;
    const keys = rateLimitKeys(keyPrefix);
    this.#places = new ObservedLimits((limit) => keys.of(limit));
    this.#batches = new ErrandBatches(clock, (batch) => this.#deliver(batch));
    const newEpoch = () => `${serverId}:${clock.now()}:${clock.random()}`;
    const times = { ttlMs, goneMs: GONE_MS, awaitMs: AWAIT_MS };
    const callParts = { link, keys, places: this.#places, serverId, newEpoch, ...times };
    this.#session = new RateLimitSession(callParts, clock);
    this.#notice = createSharingNotice(log, metrics);
    this.#alone = this.#standAlone();
  }

  async open(): Promise<void> {
    this.#parts.link.onUp(() => void this.#rejoin());
    await this.#rejoin();
    this.#notice.tell(this.#alone === undefined);
    this.#beat();
  }

  take(ask: PermitAsk, onDecision: (decision: PermitDecision) => void): void {
    if (this.#alone && !this.#isTellingAgain)
      return onDecision(this.#decideAlone(this.#alone, ask));
    this.#batches.add({
      operation: takeOperation(ask),
      done: (answer, now) => {
        const decision = decisionOf(ask, answer, now, this.#places);
        if (decision.isAllowed) this.#count(ask, now);
        onDecision(decision);
      },
      failed: () => onDecision(this.#decideUnsure(ask)),
    });
  }

  giveBack(ask: PermitAsk): void {
    const admission = this.#own.end(ask);
    if (!admission) return;
    admission.isGivenBack = true;
    this.#own.untold.delete(admission);
    this.#alone?.giveBack(admission);
    this.#return(admission);
  }

  settle(ask: PermitAsk, usedTokens: number): void {
    const admission = this.#own.end(ask);
    if (!admission) return;
    admission.usedTokens = usedTokens;
    this.#alone?.settle(admission, usedTokens);
    const operation = settleOperation(admission);
    if (!operation || this.#own.untold.has(admission)) return;
    const failed = () => void this.#own.untold.add(admission);
    if (this.#alone) failed();
    else this.#batches.add({ operation, done() {}, failed });
  }

  look(limits: readonly Limit[]): Promise<readonly LimitStanding[]> {
    return new Promise((resolve) => {
      const lookAlone = () => resolve(this.#lookAlone(limits));
      if (this.#alone) return lookAlone();
      this.#batches.add({
        operation: lookOperation(limits),
        done: (answer, now) => resolve(standingsOf(limits, answer, 0, now, this.#places)),
        failed: lookAlone,
      });
    });
  }

  /** Idempotent. What has ended is still told; the others need not wait to learn that this server is gone. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelBeat?.();
    this.#cancelRetry?.();
    await this.#rejoining;
    await this.#batches.drain();
    if (!this.#alone) await this.#session.leave().catch(() => {});
    this.#alone ??= this.#standAlone();
  }

  async #deliver(batch: readonly Errand[]): Promise<void> {
    if (this.#isTellingAgain) await this.#rejoining;
    // What is not told yet goes ahead of what is asked.
    const errands = this.#alone ? batch : this.#untold.aheadOf(batch);
    const reply = await this.#session.ask(operationsOf(errands)).catch(reasonOf);
    if (typeof reply === 'string') return this.#fail(errands, reply);
    if (!reply.done) return this.#tellAgain(errands);
    const { answers } = reply.done;
    for (const [index, errand] of errands.entries()) errand.done(answers[index] ?? [], reply.now);
    this.#own.forgetOver(reply.now);
  }

  #fail(errands: readonly Errand[], reason: string): void {
    this.#becomeAlone(reason);
    for (const errand of errands) errand.failed();
  }

  /** Redis is there and has done nothing. What was asked meanwhile waits until it knows what it had lost. */
  async #tellAgain(errands: readonly Errand[]): Promise<void> {
    this.#isTellingAgain = true;
    this.#becomeAlone('it has lost its data');
    await this.#rejoining;
    this.#isTellingAgain = false;
    if (this.#alone) for (const errand of errands) errand.failed();
    else for (const errand of errands) this.#batches.add(errand);
  }

  #becomeAlone(reason: string): void {
    if (this.#alone) return;
    this.#alone = this.#standAlone();
    this.#notice.tell(false, this.#parts.link.isUp() ? reason : 'it is away');
    void this.#rejoin();
  }

  #count(ask: PermitAsk, takenAt: number): void {
    const admission = this.#own.add(ask, takenAt, true);
    this.#alone?.record(admission);
  }

  #decideAlone(alone: SafeShare, ask: PermitAsk): PermitDecision {
    this.#notice.countLocalDecision();
    const now = this.#session.now();
    const decision = alone.take(ask, now);
    if (decision.isAllowed) this.#own.add(ask, Math.ceil(now), false);
    return decision;
  }

  /** Redis may have admitted it or may yet: what is refused here must not count there. */
  #decideUnsure(ask: PermitAsk): PermitDecision {
    const decision = this.#decideAlone(this.#alone ?? this.#standAlone(), ask);
    if (!decision.isAllowed) this.#return(ask);
    return decision;
  }

  #lookAlone(limits: readonly Limit[]): readonly LimitStanding[] {
    return (this.#alone ?? this.#standAlone()).look(limits, this.#session.now());
  }

  #standAlone(): SafeShare {
    const now = this.#session.now();
    const { serverCount } = this.#session;
    return new SafeShare(this.#places, serverCount, this.#own.counting(now), now);
  }

  #return(permit: ReturnedPermit): void {
    if (this.#alone) this.#untold.addReturn(permit);
    else this.#batches.add(this.#untold.returning(permit));
  }

  /** One attempt at a time; the next by itself, or when Redis is up again. */
  #rejoin(): Promise<void> {
    if (!this.#alone || this.#isClosed) return Promise.resolve();
    this.#rejoining ??= this.#tryToRejoin().finally(() => {
      this.#rejoining = undefined;
    });
    return this.#rejoining;
  }

  async #tryToRejoin(): Promise<void> {
    const { link, clock } = this.#parts;
    const isTold = link.isUp() && (await this.#tellEverything().catch(() => false));
    if (isTold || this.#isClosed) return;
    this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS);
    this.#cancelRetry?.();
    this.#cancelRetry = clock.after(this.#retryMs, () => void this.#rejoin());
  }

  async #tellEverything(): Promise<boolean> {
    const { epoch, now } = await this.#session.tell([]);
    if (epoch !== this.#session.epoch) {
      this.#session.epoch = epoch;
      this.#untold.forgetTold(now, this.#places.seenSince(now));
      // Now that it is known which Redis this is, the servers that were known are awaited in it.
      await this.#tellSome([]);
      while (this.#untold.size > 0) await this.#tellSome(this.#untold.next());
    }
    while (this.#untold.size > MAX_AT_ONCE) await this.#tellSome(this.#untold.next());
    this.#alone = undefined;
    this.#retryMs = FIRST_RETRY_MS;
    this.#notice.tell(true);
    // Until this is heard the others keep a share free for this server.
    void this.look([]);
    return true;
  }

  async #tellSome(errands: readonly Errand[]): Promise<void> {
    try {
      const { done } = await this.#session.tell(operationsOf(errands));
      if (!done) throw new Error('Redis has lost its data again');
    } catch (cause) {
      for (const errand of errands) errand.failed();
      throw cause;
    }
  }

  /** Shows that this server is alive, and looks at what it has not asked about of late. */
  #beat(): void {
    const now = this.#session.now();
    this.#own.forgetOver(now);
    this.#own.forgetEnded(now);
    this.#places.forgetIdle(now);
    if (!this.#alone) void this.look(this.#places.staleLimits(now, BEAT_MS / 2, MAX_LOOKS));
    this.#cancelBeat = this.#parts.clock.after(BEAT_MS, () => this.#beat());
  }
}

const operationsOf = (errands: readonly Errand[]): Operation[] =>
  errands.map(({ operation }) => operation);

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'it did not answer';
}

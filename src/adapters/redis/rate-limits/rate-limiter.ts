// Rate limits of a cluster, counted in Redis: asks are batched while a batch is in flight and decided by one script, on
// Redis' clock. Settlements and returned permits travel with them; no caller waits for those.
//
// States and their exits:
//   shared    Redis decides. → fallback when a batch fails or is late, or Redis has another epoch: it has lost its data.
//   fallback  This server decides by its safe share (safe-share); background work pauses. It rejoins when Redis is up: it
//             lists the servers it knew, whose shares then stay reserved until they rejoin or 15 s have passed, and reports
//             its admissions that Redis has not counted; for another epoch all admissions of the last window and its last
//             observation of each limit. → shared when that is reported; admissions in between precede the next batch.
//   closed    From either; asks are then decided as in fallback.
//
// A permit has an id, and taking or reporting it twice counts once. So an ask whose batch got no answer is decided here and
// reported or given back, whether or not Redis has carried it out.

import type { CancelTimer, Clock } from '../../../kernel/clock.ts';
import { HEARTBEAT_MS, SUSPECTED_AFTER_MS } from '../../../kernel/heartbeat.ts';
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
import { LocalAdmissions } from './local-admissions.ts';
import { ObservedLimits } from './observed-limits.ts';
import { MAX_BATCH_SIZE, OperationBatches, type PendingOperation } from './operation-batches.ts';
import { PendingReports } from './pending-reports.ts';
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
import { createSharingStatus, type SharingStatus } from './sharing-status.ts';

export type RedisRateLimiterParts = {
  readonly link: RedisLink;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly serverId: string;
  readonly keyPrefix: string;
  readonly ttlMs: number;
};

/** Longer than a server needs to rejoin; only the share of a server that never rejoins is unused for this long. */
const AWAIT_MS = 15_000;
const MAX_LOOKS = 200;
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 1000;

/** Resolves when limits are shared, or when Redis is found to be unavailable. */
export async function openRateLimiter(parts: RedisRateLimiterParts): Promise<RateLimiter> {
  const limiter = new RedisRateLimiter(parts);
  await limiter.open();
  return limiter;
}

class RedisRateLimiter implements RateLimiter {
  readonly #parts: RedisRateLimiterParts;
  readonly #observed: ObservedLimits;
  readonly #session: RateLimitSession;
  readonly #batches: OperationBatches;
  readonly #admissions = new LocalAdmissions();
  readonly #status: SharingStatus;
  readonly #reports = new PendingReports(this.#admissions);
  #fallback: SafeShare | undefined;
  #isClosed = false;
  #isResending = false;
  #rejoining: Promise<void> | undefined;
  #retryMs = FIRST_RETRY_MS;
  #cancelRetry: CancelTimer | undefined;
  #cancelHeartbeat: CancelTimer | undefined;

  constructor(parts: RedisRateLimiterParts) {
    const { link, clock, log, metrics, keyPrefix, ttlMs } = parts;
    // Each process of a server has a share of its own.
    const serverId = `${parts.serverId}:${clock.random().toString(36).slice(2, 8)}`;
    this.#parts = parts;
    const keys = rateLimitKeys(keyPrefix);
    this.#observed = new ObservedLimits((limit) => keys.of(limit));
    this.#batches = new OperationBatches(clock, (batch) => this.#deliver(batch));
    const newEpoch = () => `${serverId}:${clock.now()}:${clock.random()}`;
    const times = { ttlMs, goneMs: SUSPECTED_AFTER_MS, awaitMs: AWAIT_MS };
    const callParts = { link, keys, observed: this.#observed, serverId, newEpoch, ...times };
    this.#session = new RateLimitSession(callParts, clock);
    this.#status = createSharingStatus(log, metrics);
    this.#fallback = this.#createFallback();
  }

  async open(): Promise<void> {
    this.#parts.link.onUp(() => void this.#rejoin());
    await this.#rejoin();
    this.#status.report(this.#fallback === undefined);
    this.#heartbeat();
  }

  take(ask: PermitAsk, onDecision: (decision: PermitDecision) => void): void {
    if (this.#fallback && !this.#isResending)
      return onDecision(this.#decideLocally(this.#fallback, ask));
    this.#batches.add({
      operation: takeOperation(ask),
      done: (answer, now) => {
        const decision = decisionOf(ask, answer, now, this.#observed);
        if (decision.isAllowed) this.#count(ask, now);
        onDecision(decision);
      },
      failed: () => onDecision(this.#decideUnanswered(ask)),
    });
  }

  giveBack(ask: PermitAsk): void {
    const admission = this.#admissions.end(ask);
    if (!admission) return;
    admission.isGivenBack = true;
    this.#admissions.unreported.delete(admission);
    this.#fallback?.giveBack(admission);
    this.#return(admission);
  }

  settle(ask: PermitAsk, usedTokens: number): void {
    const admission = this.#admissions.end(ask);
    if (!admission) return;
    admission.usedTokens = usedTokens;
    this.#fallback?.settle(admission, usedTokens);
    const operation = settleOperation(admission);
    if (!operation || this.#admissions.unreported.has(admission)) return;
    const failed = () => void this.#admissions.unreported.add(admission);
    if (this.#fallback) failed();
    else this.#batches.add({ operation, done() {}, failed });
  }

  look(limits: readonly Limit[]): Promise<readonly LimitStanding[]> {
    return new Promise((resolve) => {
      const lookLocally = () => resolve(this.#lookLocally(limits));
      if (this.#fallback) return lookLocally();
      this.#batches.add({
        operation: lookOperation(limits),
        done: (answer, now) => resolve(standingsOf(limits, answer, 0, now, this.#observed)),
        failed: lookLocally,
      });
    });
  }

  /** Idempotent. Pending settlements are flushed, and the server is removed from the list of live servers. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelHeartbeat?.();
    this.#cancelRetry?.();
    await this.#rejoining;
    await this.#batches.drain();
    if (!this.#fallback) await this.#session.leave().catch(() => {});
    this.#fallback ??= this.#createFallback();
  }

  async #deliver(batch: readonly PendingOperation[]): Promise<void> {
    if (this.#isResending) await this.#rejoining;
    // Reports precede asks: the decisions depend on them.
    const operations = this.#fallback ? batch : this.#reports.aheadOf(batch);
    const reply = await this.#session.ask(operationsOf(operations)).catch(failureText);
    if (typeof reply === 'string') {
      this.#fallBack(reply);
      for (const pending of operations) pending.failed();
      return;
    }
    if (!reply.done) return this.#resend(operations);
    const { answers } = reply.done;
    for (const [index, pending] of operations.entries())
      pending.done(answers[index] ?? [], reply.now);
    this.#admissions.dropExpired(reply.now);
  }

  /** Redis answers but has lost its data and did nothing. The operations wait until the reports have restored it. */
  async #resend(operations: readonly PendingOperation[]): Promise<void> {
    this.#isResending = true;
    this.#fallBack('Redis has lost its data');
    await this.#rejoining;
    this.#isResending = false;
    if (this.#fallback) for (const pending of operations) pending.failed();
    else for (const pending of operations) this.#batches.add(pending);
  }

  #fallBack(reason: string): void {
    if (this.#fallback) return;
    this.#fallback = this.#createFallback();
    this.#status.report(false, this.#parts.link.isUp() ? reason : 'Redis is unavailable');
    void this.#rejoin();
  }

  #count(ask: PermitAsk, takenAt: number): void {
    const admission = this.#admissions.add(ask, takenAt, true);
    this.#fallback?.record(admission);
  }

  #decideLocally(fallback: SafeShare, ask: PermitAsk): PermitDecision {
    this.#status.countLocalDecision();
    const now = this.#session.now();
    const decision = fallback.take(ask, now);
    if (decision.isAllowed) this.#admissions.add(ask, Math.ceil(now), false);
    return decision;
  }

  /** Redis may have admitted the ask, or may yet: a local refusal is followed by a return. */
  #decideUnanswered(ask: PermitAsk): PermitDecision {
    const decision = this.#decideLocally(this.#fallback ?? this.#createFallback(), ask);
    if (!decision.isAllowed) this.#return(ask);
    return decision;
  }

  #lookLocally(limits: readonly Limit[]): readonly LimitStanding[] {
    return (this.#fallback ?? this.#createFallback()).look(limits, this.#session.now());
  }

  #createFallback(): SafeShare {
    const now = this.#session.now();
    const { serverCount } = this.#session;
    return new SafeShare(this.#observed, serverCount, this.#admissions.counting(now), now);
  }

  #return(permit: ReturnedPermit): void {
    if (this.#fallback) this.#reports.addReturn(permit);
    else this.#batches.add(this.#reports.returning(permit));
  }

  /** One attempt at a time; repeated after a delay and when the connection is up again. */
  #rejoin(): Promise<void> {
    if (!this.#fallback || this.#isClosed) return Promise.resolve();
    this.#rejoining ??= this.#tryToRejoin().finally(() => {
      this.#rejoining = undefined;
    });
    return this.#rejoining;
  }

  async #tryToRejoin(): Promise<void> {
    const { link, clock } = this.#parts;
    const isReported = link.isUp() && (await this.#reportAll().catch(() => false));
    if (isReported || this.#isClosed) return;
    this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS);
    this.#cancelRetry?.();
    this.#cancelRetry = clock.after(this.#retryMs, () => void this.#rejoin());
  }

  async #reportAll(): Promise<boolean> {
    const { epoch, now } = await this.#session.report([]);
    if (epoch !== this.#session.epoch) {
      this.#session.epoch = epoch;
      this.#reports.markAllUnreported(now, this.#observed.recent(now));
      // Under the new epoch, reserve the shares of the servers that were known.
      await this.#reportSome([]);
      while (this.#reports.size > 0) await this.#reportSome(this.#reports.next());
    }
    while (this.#reports.size > MAX_BATCH_SIZE) await this.#reportSome(this.#reports.next());
    const since = this.#fallback?.since ?? now;
    const decided = this.#observed.release(since, this.#session.now(), MAX_LOOKS);
    this.#fallback = undefined;
    this.#retryMs = FIRST_RETRY_MS;
    this.#status.report(true);
    // This call releases the share that the others reserve for this server, and observes the limits it was used for.
    void this.look(decided);
    return true;
  }

  async #reportSome(operations: readonly PendingOperation[]): Promise<void> {
    try {
      const { done } = await this.#session.report(operationsOf(operations));
      if (!done) throw new Error('Redis has lost its data again');
    } catch (cause) {
      for (const pending of operations) pending.failed();
      throw cause;
    }
  }

  /** Keeps this server listed, and refreshes observations of limits that it has not asked about recently. */
  #heartbeat(): void {
    const now = this.#session.now();
    this.#admissions.dropExpired(now);
    this.#admissions.dropEnded(now);
    this.#observed.dropIdle(now);
    if (!this.#fallback)
      void this.look(this.#observed.staleLimits(now, HEARTBEAT_MS / 2, MAX_LOOKS));
    this.#cancelHeartbeat = this.#parts.clock.after(HEARTBEAT_MS, () => this.#heartbeat());
  }
}

const operationsOf = (operations: readonly PendingOperation[]): Operation[] =>
  operations.map(({ operation }) => operation);

function failureText(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'Redis did not answer';
}

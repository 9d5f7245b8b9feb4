// The headroom of one scope, its rate of consumption, and two conclusions: when it will be exhausted at that rate, and
// how long the next call waits so that the rest lasts until the reset. Each organisation has its own queue, and with k
// waiting organisations the calls of each are spaced k times as far apart, so that calls which one organisation
// requests, and perhaps never makes, delay the others only by its share. No I/O, no clock. Each server paces its own
// calls; each answer states the headroom that all servers share.

import {
  HEADROOM_DIMENSIONS,
  type HeadroomDimension,
  type HeadroomGauge,
  type HeadroomGauges,
} from './headroom-headers.ts';

/** Below this fraction of a limit, calls are spread over the time until the reset. */
const SCARCE_RATIO = 0.05;
/** The time constant of the moving average of consumption. */
const AVERAGING_MS = 30_000;
/** Headroom that grows by more than this fraction of the limit was reset, not refilled. */
const RESET_RATIO = 0.05;
/** Beyond this number of queues all of them are reset. */
const MAX_QUEUES = 1000;

export class HeadroomPace {
  #gauges: HeadroomGauges = {};
  #readAt = 0;
  /** Per dimension, the net consumption per millisecond: use minus refill. */
  readonly #rates = new Map<HeadroomDimension, number>();
  /** The next turn of each organisation that has a queue. */
  readonly #nextTurnAt = new Map<string, number>();

  get gauges(): HeadroomGauges {
    return this.#gauges;
  }

  get readAt(): number {
    return this.#readAt;
  }

  take(gauges: HeadroomGauges, now: number): void {
    const elapsedMs = now - this.#readAt;
    for (const dimension of HEADROOM_DIMENSIONS) {
      const [before, after] = [this.#gauges[dimension], gauges[dimension]];
      if (before && after && elapsedMs > 0) this.#learnRate(dimension, before, after, elapsedMs);
    }
    this.#gauges = { ...this.#gauges, ...gauges };
    this.#readAt = now;
  }

  /** Undefined if, at the current rate, the reset comes first. */
  exhaustedAt(): number | undefined {
    let earliest: number | undefined;
    for (const dimension of HEADROOM_DIMENSIONS) {
      const at = this.#exhaustionOf(dimension);
      if (at !== undefined) earliest = Math.min(at, earliest ?? at);
    }
    return earliest;
  }

  /** The smallest remaining fraction of any limit; 1 without readings. */
  remainingRatio(now: number): number {
    const ratios = HEADROOM_DIMENSIONS.flatMap((dimension) => {
      const gauge = this.#gauges[dimension];
      return gauge && !isOver(gauge, now) ? [gauge.remaining / gauge.limit] : [];
    });
    return Math.min(1, ...ratios);
  }

  /** The delay of a call with this many tokens. It takes the next turn of its organisation; later calls queue behind it. */
  slowDownMs(tokens: number, now: number, organization = ''): number {
    const spacing = this.#spacing(tokens, now);
    if (!spacing) return 0;
    const waiting = this.#waitingBeside(organization, now);
    const at = Math.max(now, Math.min(this.#nextTurnAt.get(organization) ?? now, spacing.resetAt));
    this.#nextTurnAt.set(organization, at + spacing.ms * (waiting + 1));
    return at - now;
  }

  /** The number of other organisations with a queue. */
  #waitingBeside(organization: string, now: number): number {
    for (const [id, at] of this.#nextTurnAt) if (at <= now) this.#nextTurnAt.delete(id);
    if (this.#nextTurnAt.size >= MAX_QUEUES) this.#nextTurnAt.clear();
    return this.#nextTurnAt.size - (this.#nextTurnAt.has(organization) ? 1 : 0);
  }

  #learnRate(
    dimension: HeadroomDimension,
    before: HeadroomGauge,
    after: HeadroomGauge,
    elapsedMs: number,
  ): void {
    const used = before.remaining - after.remaining;
    // A different limit belongs to another model or plan, and an increase is a reset: neither is consumption.
    if (after.limit !== before.limit || -used > RESET_RATIO * after.limit) return;
    const known = this.#rates.get(dimension) ?? 0;
    const weight = 1 - Math.exp(-elapsedMs / AVERAGING_MS);
    this.#rates.set(dimension, known + weight * (used / elapsedMs - known));
  }

  #exhaustionOf(dimension: HeadroomDimension): number | undefined {
    const gauge = this.#gauges[dimension];
    const rate = this.#rates.get(dimension) ?? 0;
    if (!gauge || rate <= 0) return undefined;
    const at = Math.round(this.#readAt + gauge.remaining / rate);
    return gauge.resetAt !== undefined && at < gauge.resetAt ? at : undefined;
  }

  /** The largest spacing over all scarce dimensions. */
  #spacing(tokens: number, now: number): { ms: number; resetAt: number } | undefined {
    let widest: { ms: number; resetAt: number } | undefined;
    for (const dimension of HEADROOM_DIMENSIONS) {
      const gauge = this.#gauges[dimension];
      if (gauge?.resetAt === undefined || isOver(gauge, now)) continue;
      if (gauge.remaining >= SCARCE_RATIO * gauge.limit) continue;
      const leftMs = gauge.resetAt - now;
      const cost = dimension === 'requests' ? 1 : Math.max(1, tokens);
      const ms = Math.min(leftMs, (leftMs * cost) / Math.max(1, gauge.remaining));
      if (!widest || ms > widest.ms) widest = { ms, resetAt: gauge.resetAt };
    }
    return widest;
  }
}

function isOver(gauge: HeadroomGauge, now: number): boolean {
  return gauge.resetAt !== undefined && gauge.resetAt <= now;
}

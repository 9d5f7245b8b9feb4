// The room that is left at one place, how fast it goes, and what follows from that: when it will be used up at the
// present pace, and how long the next call may as well wait so that the rest lasts until the reset. Pure but for what it
// remembers. Every server paces itself; each answer says anew what all of them have left.

import {
  HEADROOM_DIMENSIONS,
  type HeadroomDimension,
  type HeadroomGauge,
  type HeadroomGauges,
} from './headroom-headers.ts';

/** Below this part of the limit what remains is spread. */
export const SCARCE_PART = 0.05;
/** How long a pace is remembered: older readings weigh less and less. */
const PACE_MS = 30_000;
/** Room that grows by more than this part of the limit was reset, not refilled. */
const RESET_PART = 0.05;

export class HeadroomPace {
  #gauges: HeadroomGauges = {};
  #readAt = 0;
  /** Per dimension, what is used up in a millisecond, net of what is refilled meanwhile. */
  readonly #paces = new Map<HeadroomDimension, number>();
  #nextCallAt = 0;

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
      if (before && after && elapsedMs > 0) this.#learnPace(dimension, before, after, elapsedMs);
    }
    this.#gauges = { ...this.#gauges, ...gauges };
    this.#readAt = now;
  }

  /** Undefined when it lasts until it is reset, as far as one can tell. */
  exhaustedAt(): number | undefined {
    let earliest: number | undefined;
    for (const dimension of HEADROOM_DIMENSIONS) {
      const at = this.#endOf(dimension);
      if (at !== undefined) earliest = Math.min(at, earliest ?? at);
    }
    return earliest;
  }

  /** The smallest part of a limit that is left; 1 when nothing is known. */
  remainingPart(now: number): number {
    const parts = HEADROOM_DIMENSIONS.flatMap((dimension) => {
      const gauge = this.#gauges[dimension];
      return gauge && !isOver(gauge, now) ? [gauge.remaining / gauge.limit] : [];
    });
    return Math.min(1, ...parts);
  }

  /** How long a call of so many tokens waits for its turn; it has its turn then, and the next one comes after it. */
  slowDownMs(tokens: number, now: number): number {
    const spacing = this.#spacing(tokens, now);
    if (!spacing) return 0;
    const at = Math.max(now, Math.min(this.#nextCallAt, spacing.resetAt));
    this.#nextCallAt = at + spacing.ms;
    return at - now;
  }

  #learnPace(
    dimension: HeadroomDimension,
    before: HeadroomGauge,
    after: HeadroomGauge,
    elapsedMs: number,
  ): void {
    const used = before.remaining - after.remaining;
    // Another limit is another model's or another plan's.
    if (after.limit !== before.limit || -used > RESET_PART * after.limit) return;
    const known = this.#paces.get(dimension) ?? 0;
    const weight = 1 - Math.exp(-elapsedMs / PACE_MS);
    this.#paces.set(dimension, known + weight * (used / elapsedMs - known));
  }

  #endOf(dimension: HeadroomDimension): number | undefined {
    const gauge = this.#gauges[dimension];
    const pace = this.#paces.get(dimension) ?? 0;
    if (!gauge || pace <= 0) return undefined;
    const at = Math.round(this.#readAt + gauge.remaining / pace);
    return gauge.resetAt !== undefined && at < gauge.resetAt ? at : undefined;
  }

  /** The widest of all dimensions that are scarce. */
  #spacing(tokens: number, now: number): { ms: number; resetAt: number } | undefined {
    let widest: { ms: number; resetAt: number } | undefined;
    for (const dimension of HEADROOM_DIMENSIONS) {
      const gauge = this.#gauges[dimension];
      if (gauge?.resetAt === undefined || isOver(gauge, now)) continue;
      if (gauge.remaining >= SCARCE_PART * gauge.limit) continue;
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

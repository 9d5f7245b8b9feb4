// Decides whether this server can do AI work now, for an application that asks before it starts: the server does not drain
// and has a slot, and at least one target of the requested model has neither a limit nor an open circuit. Reads local copies:
// no I/O, no call.

import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { BreakerBoard } from '../../resilience/breaker-board.ts';
import { accountCircuit } from '../../resilience/circuit-key.ts';
import type { Resolution, ResolveTargets } from '../../routing/resolve-targets.ts';
import type { Target } from '../../routing/target.ts';
import { circuitOpen, credentialRefused, limitedUntil } from '../call/call-refusal.ts';
import { modelRefusal } from '../call/request-refusal.ts';
import type { ServeParts } from '../serve/serve-request.ts';

export type CapacityParts = Pick<ServeParts, 'limits' | 'credentials' | 'slots'> & {
  readonly resolveTargets: ResolveTargets;
  readonly breakers: Pick<BreakerBoard, 'openForMs'>;
  readonly isDraining: () => boolean;
  readonly clock: Clock;
};

/** Undefined if this server can serve; else the refusal that a caller would get. Without a model only the server is checked. */
export type DecideCapacity = (model?: string) => SpillwayError | undefined;

const RETRY_AFTER_MS = 1000;

export function createDecideCapacity(parts: CapacityParts): DecideCapacity {
  const { slots, isDraining, resolveTargets } = parts;
  return (model) => {
    if (isDraining()) return exhausted('server is draining');
    if (slots.used >= slots.max) return exhausted('server is at its concurrent-request limit');
    if (model === undefined) return undefined;
    const resolution = resolveTargets(model);
    return resolution.outcome === 'targets'
      ? refusalOfAll(parts, resolution)
      : modelRefusal(resolution, model);
  };
}

/** One target that can serve is enough; otherwise the refusal with the shortest wait. */
function refusalOfAll(
  parts: CapacityParts,
  { targets }: Extract<Resolution, { outcome: 'targets' }>,
): SpillwayError | undefined {
  const refusals: SpillwayError[] = [];
  for (const target of targets) {
    const refusal = refusalOf(parts, target);
    if (!refusal) return undefined;
    refusals.push(refusal);
  }
  const now = parts.clock.now();
  return refusals.toSorted((one, other) => waitMs(one, now) - waitMs(other, now))[0];
}

function refusalOf(
  { limits, credentials, breakers, clock }: CapacityParts,
  target: Target,
): SpillwayError | undefined {
  const limit = limits.active(target);
  if (limit) return limitedUntil(limit, clock.now());
  if (credentials.isRefused(target)) return credentialRefused(target);
  const openForMs = breakers.openForMs(accountCircuit(target));
  return openForMs > 0 ? circuitOpen(target.provider, openForMs) : undefined;
}

function waitMs({ retryAfterMs, resetAt }: SpillwayError, now: number): number {
  return retryAfterMs ?? (resetAt === undefined ? Number.POSITIVE_INFINITY : resetAt - now);
}

function exhausted(message: string): SpillwayError {
  return new SpillwayError('CAPACITY_EXHAUSTED', message, { retryAfterMs: RETRY_AFTER_MS });
}

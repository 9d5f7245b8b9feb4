// What an operator does with provider limits by hand: closes a provider's region until a moment, or opens it
// again. An operator's word replaces what was learnt, earlier or later, because somebody looked.

import { SpillwayError } from '../errors/spillway-error.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Auditor, Operator } from './administer-audit.ts';
import type { ProviderLimit, ProviderLimits } from './provider-limits.ts';

export type LimitPlace = {
  readonly provider: string;
  readonly region: string;
  /** Absent: the whole provider in that region. */
  readonly model?: string | undefined;
};

export type AdministerLimits = {
  list(): Promise<readonly ProviderLimit[]>;
  /** Throws NOT_FOUND for a provider that is not configured, INVALID_REQUEST for a moment out of range. */
  set(operator: Operator, place: LimitPlace, resetAt: number): Promise<ProviderLimit>;
  /** Without a model, everything that is limited there; nothing limited is no failure. */
  clear(operator: Operator, place: LimitPlace): Promise<void>;
};

export type AdministerLimitsParts = {
  readonly limits: ProviderLimits;
  readonly auditor: Auditor;
  readonly clock: Clock;
  readonly isProvider: (name: string) => boolean;
};

/** The longest a provider's own limit lasts is a month; farther is a slip of the finger. */
export const MAX_LIMIT_MS = 32 * 86_400_000;

export function administerLimits(parts: AdministerLimitsParts): AdministerLimits {
  const { limits, auditor, clock } = parts;

  function requireProvider({ provider }: LimitPlace): void {
    if (!parts.isProvider(provider)) throw new SpillwayError('NOT_FOUND', 'no such provider');
  }

  return {
    list: () => limits.list(),
    async set(operator, place, resetAt) {
      requireProvider(place);
      const setAt = clock.now();
      if (resetAt <= setAt || resetAt > setAt + MAX_LIMIT_MS) throw outOfRange();
      const { provider, region, model } = place;
      const limit: ProviderLimit = {
        provider,
        region,
        ...(model === undefined ? {} : { model }),
        resetAt,
        setBy: operator.actor,
        setAt,
        kind: 'manual',
      };
      await auditor.record(operator, deed('set', place, { resetAt }));
      // A limit only ever moves later by itself; taking the old one away lets an operator shorten it.
      await limits.clear(provider, region, model);
      await limits.set(limit);
      return limit;
    },
    async clear(operator, place) {
      requireProvider(place);
      await auditor.record(operator, deed('clear', place));
      for (const { provider, region, model } of await limits.list()) {
        if (provider !== place.provider || region !== place.region) continue;
        if (place.model === undefined || place.model === model)
          await limits.clear(provider, region, model);
      }
    },
  };
}

function deed(verb: string, { provider, region, model }: LimitPlace, data?: { resetAt: number }) {
  const target = [provider, region, ...(model === undefined ? [] : [model])].join('/');
  return { action: `limit.${verb}`, target, data };
}

function outOfRange(): SpillwayError {
  return new SpillwayError('INVALID_REQUEST', 'a limit ends within the next 32 days', {
    params: { field: 'resetAt' },
  });
}

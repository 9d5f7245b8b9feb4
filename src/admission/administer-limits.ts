// An operator's changes to provider limits: no calls to a provider's region before a reset time, or calls again at
// once. An operator's limit replaces a learnt one, even if it ends earlier.

import { SpillwayError } from '../errors/spillway-error.ts';
import type { Clock } from '../kernel/clock.ts';
import {
  accountCircuit,
  type CircuitKey,
  isSameCircuit,
  regionLabel,
} from '../resilience/circuit-key.ts';
import type { Auditor, Operator } from './administer-audit.ts';
import { MAX_LIMIT_MS, type ProviderLimit, type ProviderLimits } from './provider-limits.ts';

export type AdministerLimits = {
  list(): Promise<readonly ProviderLimit[]>;
  /**
   * Throws NOT_FOUND for a provider that is not configured. A limit lasts 32 days at most; a reset time in the past ends
   * the limit at once.
   */
  set(operator: Operator, key: CircuitKey, resetAt: number): Promise<ProviderLimit>;
  /** Without a model, clears the limits of all models too. Succeeds when there is no limit. */
  clear(operator: Operator, key: CircuitKey): Promise<void>;
};

export type AdministerLimitsParts = {
  readonly limits: ProviderLimits;
  readonly auditor: Auditor;
  readonly clock: Clock;
  readonly isProvider: (name: string) => boolean;
  /** Called after an operator has ended a limit before its time. */
  readonly onEnded?: (key: CircuitKey) => Promise<void>;
};

export function administerLimits(parts: AdministerLimitsParts): AdministerLimits {
  const { limits, auditor, clock } = parts;

  function requireProvider({ provider }: CircuitKey): void {
    if (!parts.isProvider(provider)) throw new SpillwayError('NOT_FOUND', 'no such provider');
  }

  return {
    list: () => limits.list(),
    async set(operator, key, wantedResetAt) {
      requireProvider(key);
      const setAt = clock.now();
      const resetAt = Math.min(wantedResetAt, setAt + MAX_LIMIT_MS);
      const limit: ProviderLimit = {
        ...key,
        resetAt,
        setBy: operator.actor,
        setAt,
        kind: 'manual',
      };
      await auditor.record(operator, auditEntry('set', key, { resetAt }));
      // `set` alone only moves the end of a limit later; an operator may also shorten it.
      await limits.clear(key);
      if (resetAt > setAt) await limits.set(limit);
      else await parts.onEnded?.(key);
      return limit;
    },
    async clear(operator, key) {
      requireProvider(key);
      await auditor.record(operator, auditEntry('clear', key));
      for (const limit of await limits.list()) if (isWithin(key, limit)) await limits.clear(limit);
      await parts.onEnded?.(key);
    },
  };
}

/** Without a model, an account's key covers all of its models. */
function isWithin(key: CircuitKey, limit: ProviderLimit): boolean {
  if (!isSameCircuit(accountCircuit(key), accountCircuit(limit))) return false;
  return key.model === undefined || key.model === limit.model;
}

function auditEntry(verb: string, key: CircuitKey, data?: { resetAt: number }) {
  const { provider, model } = key;
  const target = [provider, regionLabel(key), ...(model === undefined ? [] : [model])].join('/');
  return { action: `limit.${verb}`, target, data };
}

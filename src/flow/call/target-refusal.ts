// Decides whether a target may be called at all: its model has a price, its provider is not at a limit and did not just
// refuse our credential. Reads of local copies.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { Target } from '../../routing/target.ts';
import type { CallParts } from './call-order.ts';
import { credentialRefused, limitedUntil } from './call-refusal.ts';
import { activeLimit } from './provider-limit.ts';
import { unpricedModel } from './request-refusal.ts';

type RefusalParts = Pick<CallParts, 'limits' | 'meter' | 'clock' | 'credentials'>;

export function refuseTarget(
  { limits, meter, clock, credentials }: RefusalParts,
  target: Target,
): SpillwayError | undefined {
  if (!meter.isPriced(target.provider, target.model)) return unpricedModel(target.model);
  const limit = activeLimit(limits, target);
  if (limit) return limitedUntil(limit, clock.now());
  return credentials.refuses(target) ? credentialRefused(target) : undefined;
}

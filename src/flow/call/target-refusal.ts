// Decides whether a target may be called at all: the organisation may name the objects that its provider stores, the model
// has a price, the provider is not at a limit and did not just refuse our credential. Reads of local copies.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { Target } from '../../routing/target.ts';
import type { CallOrder, CallParts } from './call-order.ts';
import { credentialRefused, limitedUntil, lowHeadroom } from './call-refusal.ts';
import { activeLimit } from './provider-limit.ts';
import { invalidField, unpricedModel } from './request-refusal.ts';

type RefusalParts = Pick<CallParts, 'limits' | 'meter' | 'clock' | 'credentials' | 'mayNameStored'>;

export function refuseTarget(
  { limits, meter, clock, credentials, mayNameStored }: RefusalParts,
  { id, plan, payer }: Pick<CallOrder, 'id' | 'plan' | 'payer'>,
  target: Target,
): SpillwayError | undefined {
  const { provider, model } = target;
  const { stated, translation } = plan;
  const { features, storedField } = stated;
  if (storedField !== undefined && mayNameStored?.(payer.organizationId) === false)
    return storedObject(storedField);
  if (!meter.isPriced(provider, model)) return unpricedModel(model);
  // Tiers and tools of a vendor are never translated, so that they cost nothing at a target of another format.
  const isOwn = !translation?.isNeededAt(target);
  const field = features && isOwn ? meter.findUnpriced(provider, model, features) : undefined;
  if (field !== undefined)
    return invalidField(`${field} has no price at ${model}`, field, 'unpriced_field');
  const limit = activeLimit(limits, target);
  if (limit) return limitedUntil(limit, clock.now());
  const untranslatable = translation?.problemAt(target);
  if (untranslatable) return untranslatable;
  const isRefused = credentials.refuses(target, payer.organizationId, id);
  return isRefused ? credentialRefused(target) : undefined;
}

function storedObject(field: string): SpillwayError {
  return invalidField(`${field} names an object that the provider stores`, field, 'stored_object');
}

/**
 * Close to a provider's limit interactive calls are spread over the remaining headroom. Jobs already run at the pace of the
 * account's limit, where headroom is always low.
 */
export function slowDown(
  { headroom }: Pick<CallParts, 'headroom'>,
  { isBackground, payer }: Pick<CallOrder, 'isBackground' | 'payer'>,
  target: Target,
): SpillwayError | undefined {
  const waitMs = isBackground ? 0 : headroom.slowDownMs(target, 0, payer.organizationId);
  return waitMs > 0 ? lowHeadroom(target.provider, waitMs) : undefined;
}

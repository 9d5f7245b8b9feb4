// The targets of aliases without a known price: their calls are refused, because a budget could not count them.

import type { Config } from '../../config/config.ts';
import { createPriceBook } from '../../metering/prices/price-book.ts';

/** Each as `provider/model`, without duplicates. */
export function unpricedTargets({ aliases, prices }: Config): readonly string[] {
  const book = createPriceBook({ overrides: prices.models, defaultPrice: prices.fallback });
  const targets = Object.values(aliases).flatMap((alias) => [...alias.targets, ...alias.fallbacks]);
  const unpriced = targets.filter(({ provider, model }) => !book.isPriced(provider, model));
  return [...new Set(unpriced.map(({ provider, model }) => `${provider}/${model}`))];
}

// The prices of the maintained package in whole nanodollars, computed apart from the program under test.

import assert from 'node:assert/strict';
import { findProvider, type ModelPrice } from '@pydantic/genai-prices';
import { usdToNanos } from '../../../src/kernel/money.ts';

export function priceOf(provider: string, model: string): ModelPrice {
  const found = findProvider({ providerId: provider })?.models.find(({ id }) => id === model);
  assert.ok(found && !Array.isArray(found.prices));
  return found.prices;
}

/** A tier of a long context applies above its start. */
export function perMillion(
  list: ModelPrice,
  key: string,
  otherwise: string,
  input: number,
): bigint {
  const price = list[key] ?? list[otherwise];
  if (price === undefined) return 0n;
  if (typeof price === 'number') return BigInt(usdToNanos(price));
  const reached = price.tiers.filter(({ start }) => input > start).at(-1);
  return BigInt(usdToNanos(reached?.price ?? price.base));
}

/** The package states the prices of tools per thousand uses. */
export function perUse(list: ModelPrice, key: string): number {
  const price = list[key];
  return typeof price === 'number' ? usdToNanos(price) / 1000 : 0;
}

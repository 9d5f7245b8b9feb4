import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInModels, builtInPrices } from './price-built-in.ts';

test('every model with a built-in price is listed under its own name', () => {
  assert.ok(builtInModels().includes('claude-sonnet-4'));
  for (const model of builtInModels()) assert.ok(builtInPrices(model), model);
});

// Three models that always have a price, even if the price package does not know them, with any date or suffix after their
// names. Cache prices are Anthropic's proportions of the input price.

import { usdToNanos } from '../../kernel/money.ts';
import { type DatedPrices, priceStep } from './price-list.ts';

export function builtInPrices(model: string): DatedPrices | undefined {
  const family = NAME.exec(model)?.[1];
  return family === undefined ? undefined : BUILT_IN.get(family);
}

/** Also after a vendor prefix, as in `anthropic/claude-opus-4` and `eu.anthropic.claude-opus-4-v1:0`. */
const NAME =
  /(?:^|[/.])claude-(opus|sonnet|haiku)-4(?:-0)?(?:[-@](?:\d{8}|latest|default))?(?:-v\d+(?::\d+)?)?$/;

/** Dollars per million tokens. */
const BUILT_IN: ReadonlyMap<string, DatedPrices> = new Map([
  ['opus', claude('15', '75')],
  ['sonnet', claude('3', '15')],
  ['haiku', claude('0.25', '1.25')],
]);

function claude(inputUsd: string, outputUsd: string): DatedPrices {
  const input = usdToNanos(inputUsd);
  const step = priceStep(-1, {
    input,
    output: usdToNanos(outputUsd),
    cacheRead: input / 10,
    cacheWrite: (input * 5) / 4,
    cacheWrite1h: input * 2,
  });
  return [{ time: { kind: 'always' }, list: { steps: [step], requestNanos: 0, toolNanos: {} } }];
}

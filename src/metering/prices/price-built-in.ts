// Models that always have a price, even if the price package does not know them, with any date or revision after their
// names: three families, and the default model of Anthropic, which the package does not list yet and which costs as much as
// the dearest Sonnet that it lists. Cache prices are Anthropic's proportions of the input price.

import { usdToNanos } from '../../kernel/money.ts';
import { type DatedPrices, priceStep } from './price-list.ts';

/** Without date and revision. */
export function builtInModels(): readonly string[] {
  return [...BUILT_IN.keys()].map((family) => `claude-${family}`);
}

export function builtInPrices(model: string): DatedPrices | undefined {
  const family = NAME.exec(model)?.[1];
  return family === undefined ? undefined : BUILT_IN.get(family);
}

/** Also after a vendor prefix, as in `anthropic/claude-opus-4` and `eu.anthropic.claude-opus-4-v1:0`. */
const NAME =
  /(?:^|[/.])claude-(opus-4|sonnet-4|haiku-4|sonnet-5-5)(?:-0)?(?:[-@](?:\d{8}|latest|default))?(?:-v\d+(?::\d+)?)?$/;

/** Ten dollars per thousand searches. */
const SEARCH = Object.freeze({ web_search: 10_000_000 });

/** Dollars per million tokens. */
const BUILT_IN: ReadonlyMap<string, DatedPrices> = new Map([
  ['opus-4', claude('15', '75')],
  ['sonnet-4', claude('3', '15')],
  ['haiku-4', claude('0.25', '1.25')],
  ['sonnet-5-5', claude('3', '15')],
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
  return [
    { time: { kind: 'always' }, list: { steps: [step], requestNanos: 0, toolNanos: SEARCH } },
  ];
}

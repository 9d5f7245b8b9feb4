// Prices from the configuration, in dollars per million tokens: for `provider/model` or for a model at any provider, by its
// name or by a pattern that ends in a star. The most specific name wins.

import { usdToNanos } from '../../kernel/money.ts';
import { type DatedPrices, type PriceStep, priceStep } from './price-list.ts';

type Usd = number | string;

export type PriceOverride = StepOverride & {
  /** The prices of requests with more input than this. */
  readonly longContext?: (StepOverride & { readonly aboveTokens: number }) | undefined;
};

type StepOverride = {
  readonly inputUsd: Usd;
  readonly outputUsd: Usd;
  /** A price that is not stated equals the input price. */
  readonly cacheReadUsd?: Usd | undefined;
  readonly cacheWriteUsd?: Usd | undefined;
  readonly cacheWrite1hUsd?: Usd | undefined;
  /** Audio and images cost as much as text where no price is given. */
  readonly audioInputUsd?: Usd | undefined;
  readonly audioOutputUsd?: Usd | undefined;
  readonly imageInputUsd?: Usd | undefined;
  readonly imageOutputUsd?: Usd | undefined;
};

export type PriceOverrides = Readonly<Record<string, PriceOverride>>;

/** Throws a RangeError for an invalid price: with a wrong configuration the server must not start. */
export function compileOverride(override: PriceOverride): DatedPrices {
  const { longContext } = override;
  const first = overrideStep(-1, override);
  const later = longContext ? [overrideStep(longContext.aboveTokens, longContext)] : [];
  return [
    {
      time: { kind: 'always' },
      list: { steps: [first, ...later], requestNanos: 0, toolNanos: {} },
    },
  ];
}

export type FindOverride = (provider: string, model: string) => DatedPrices | undefined;

export function createOverrides(overrides: PriceOverrides): FindOverride {
  const exact = new Map<string, DatedPrices>();
  const patterns: { prefix: string; prices: DatedPrices }[] = [];
  for (const [name, override] of Object.entries(overrides)) {
    const prices = compileOverride(override);
    if (name.endsWith('*')) patterns.push({ prefix: name.slice(0, -1), prices });
    else exact.set(name, prices);
  }
  patterns.sort((one, other) => other.prefix.length - one.prefix.length);

  return (provider, model) => {
    const full = `${provider}/${model}`;
    const named = exact.get(full) ?? exact.get(model);
    if (named) return named;
    const found = patterns.find(
      ({ prefix }) => full.startsWith(prefix) || model.startsWith(prefix),
    );
    return found?.prices;
  };
}

function overrideStep(aboveTokens: number, override: StepOverride): PriceStep {
  return priceStep(aboveTokens, {
    input: usdToNanos(override.inputUsd),
    output: usdToNanos(override.outputUsd),
    cacheRead: optionalNanos(override.cacheReadUsd),
    cacheWrite: optionalNanos(override.cacheWriteUsd),
    cacheWrite1h: optionalNanos(override.cacheWrite1hUsd),
    media: {
      audioInput: optionalNanos(override.audioInputUsd),
      audioOutput: optionalNanos(override.audioOutputUsd),
      imageInput: optionalNanos(override.imageInputUsd),
      imageOutput: optionalNanos(override.imageOutputUsd),
    },
  });
}

function optionalNanos(usd: Usd | undefined): number | undefined {
  return usd === undefined ? undefined : usdToNanos(usd);
}

// Prices of features beside tokens: a factor per processing tier, an amount per use of a provider's tool. The operator
// configures them; the maintained list knows some tools. A feature without a price is refused before the call.

import { type Nanos, usdToNanos } from '../../kernel/money.ts';
import type { UsageTiers } from '../../kernel/usage.ts';
import type { PriceList } from './price-list.ts';
import { PREVIEW_SEARCH, previewSearchNanos } from './search-models.ts';

export type FeaturePriceOptions = {
  /** The price of a tier as a factor of the standard price: `{ priority: 2, flex: 0.5 }`. */
  readonly tiers?: Readonly<Record<string, number>> | undefined;
  /** US dollars per use of a tool: `{ code_execution: 0.05 }`; 0 allows a tool that costs nothing. */
  readonly toolsUsd?: Readonly<Record<string, number>> | undefined;
};

/** The features of a request that have prices. */
export type PricedFeatures = {
  readonly tiers: readonly { readonly field: string; readonly tier: string }[];
  readonly tools: readonly {
    readonly field: string;
    readonly kind: string;
    readonly isFree: boolean;
    readonly model: string | undefined;
  }[];
  readonly outputs: readonly { readonly field: string; readonly modality: string }[];
};

export class FeaturePrices {
  /** Thousandths of the standard price. */
  readonly #factors: ReadonlyMap<string, number>;
  readonly #toolNanos: Readonly<Record<string, Nanos>>;

  constructor({ tiers = {}, toolsUsd = {} }: FeaturePriceOptions = {}) {
    this.#factors = new Map(
      Object.entries(tiers).map(([tier, factor]) => [tier.toLowerCase(), Math.ceil(factor * 1000)]),
    );
    this.#toolNanos = Object.fromEntries(
      Object.entries(toolsUsd).map(([kind, usd]) => [kind, usdToNanos(usd)]),
    );
  }

  /** The list with the operator's prices of tools in place of its own. A configured price of web searches applies to both versions. */
  withTools(list: PriceList, model: string): PriceList {
    const own = list.toolNanos;
    const search = own['web_search'];
    const listed = search === undefined ? undefined : previewSearchNanos(model, search);
    const preview = this.#toolNanos['web_search'] ?? own[PREVIEW_SEARCH] ?? listed;
    const versions: Record<string, Nanos> =
      preview === undefined ? {} : { [PREVIEW_SEARCH]: preview };
    return { ...list, toolNanos: { ...own, ...versions, ...this.#toolNanos } };
  }

  /** The cost at the tiers; a tier without a price costs the standard price. */
  atTiers(nanos: Nanos, tiers: UsageTiers | undefined): Nanos {
    if (!tiers || this.#factors.size === 0) return nanos;
    return Object.values(tiers).reduce(
      (cost, tier) => scaled(cost, this.#factors.get(tier) ?? STANDARD),
      nanos,
    );
  }

  /** The maximum cost at the requested tiers; a provider may serve a cheaper tier at the standard price. */
  atMost(nanos: Nanos, tiers: readonly { readonly tier: string }[]): Nanos {
    return tiers.reduce(
      (cost, { tier }) => scaled(cost, Math.max(STANDARD, this.#factors.get(tier) ?? STANDARD)),
      nanos,
    );
  }

  /** The path of the first field that asks for a feature without a price. */
  findUnpriced(list: PriceList, { tiers, tools, outputs }: PricedFeatures): string | undefined {
    const tier = tiers.find((each) => !this.#factors.has(each.tier));
    if (tier) return tier.field;
    for (const { field, kind, isFree, model } of tools) {
      const isConfigured = Object.hasOwn(this.#toolNanos, kind);
      // Another model within the request would be charged like the request's own.
      if (model !== undefined && !isConfigured) return field.replace(/\.type$/, '.model');
      if (!isFree && !isConfigured && !Object.hasOwn(list.toolNanos, kind)) return field;
    }
    const known = list.steps[0].media?.kinds;
    return outputs.find(({ modality }) => known?.has(modality) !== true)?.field;
  }
}

const STANDARD = 1000;

function scaled(nanos: Nanos, thousandths: number): Nanos {
  if (thousandths === STANDARD) return nanos;
  const exact = (BigInt(nanos) * BigInt(thousandths) + 999n) / 1000n;
  return Number(exact < BigInt(Number.MAX_SAFE_INTEGER) ? exact : Number.MAX_SAFE_INTEGER);
}

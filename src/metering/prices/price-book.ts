// Prices usage and the worst case of a request. Prices come, in this order, from the configuration, the price package, the
// built-in models and a configured default. A model in none of them is `unknown` and must be refused, because its
// cost could not be charged.
//
// A model is looked up once; from then on a price is two map lookups and whole-number arithmetic.

import type { Nanos } from '../../kernel/money.ts';
import type { MeteredUsage } from '../../kernel/usage.ts';
import { type FeaturePriceOptions, FeaturePrices, type PricedFeatures } from './feature-prices.ts';
import { builtInPrices } from './price-built-in.ts';
import {
  activePrice,
  costOf,
  costOfTools,
  type DatedPrices,
  maxCostOf,
  type PriceList,
} from './price-list.ts';
import {
  compileOverride,
  createOverrides,
  type PriceOverride,
  type PriceOverrides,
} from './price-override.ts';
import { createPackagePrices, type PackagePrices } from './price-package.ts';
import { searchesAlways, withSearches } from './search-models.ts';

export type PriceSource = 'override' | 'package' | 'built_in' | 'default';

export type PriceAnswer =
  | { readonly costNanos: Nanos; readonly priced: PriceSource }
  | { readonly unknown: true };

export type WorstCaseTokens = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** False if the request writes no one-hour cache; unknown counts as true. */
  readonly mayCacheForAnHour?: boolean | undefined;
  readonly mayReadMedia?: boolean | undefined;
  /** The maximum number of uses of each tool that the provider runs. */
  readonly toolUses?: Readonly<Record<string, number>> | undefined;
  readonly tiers?: PricedFeatures['tiers'] | undefined;
};

export type PriceBook = {
  price(provider: string, model: string, usage: MeteredUsage, atMs: number): PriceAnswer;
  /** The maximum cost of a request, so that its reservation covers any usage that the provider reports. */
  worstCase(provider: string, model: string, bounds: WorstCaseTokens, atMs: number): PriceAnswer;
  isPriced(provider: string, model: string, atMs?: number): boolean;
  /** The path of the first field that asks for a feature without a price at this model. */
  findUnpriced(provider: string, model: string, features: PricedFeatures): string | undefined;
  /** As `price`; a model that should have been refused is charged like the most expensive built-in model. */
  costNanos(provider: string, model: string, usage: MeteredUsage, atMs: number): Nanos;
  /** Loads the price package now instead of with the first request. */
  load(): void;
};

export type PriceBookOptions = {
  readonly overrides?: PriceOverrides | undefined;
  /** The price of models that no source knows; without it they are `unknown`. */
  readonly defaultPrice?: PriceOverride | undefined;
  readonly packagePrices?: PackagePrices | undefined;
  readonly features?: FeaturePriceOptions | undefined;
};

export function createPriceBook(options: PriceBookOptions = {}): PriceBook {
  return new CachedPriceBook(options);
}

type Entry = { readonly prices: DatedPrices; readonly source: PriceSource };

/** Callers choose model names, so the cache of looked-up names is bounded. */
const REMEMBERED_MODELS = 2000;
const MAX_MODEL_NAME = 256;
/** A call may begin and end in hours with different prices. */
const MAX_CALL_MS = 10 * 60 * 1000;
const UNKNOWN: PriceAnswer = Object.freeze({ unknown: true });

class CachedPriceBook implements PriceBook {
  readonly #findOverride: (provider: string, model: string) => DatedPrices | undefined;
  readonly #package: PackagePrices;
  readonly #default: DatedPrices | undefined;
  readonly #features: FeaturePrices;
  readonly #byProvider = new Map<string, Map<string, Entry | null>>();
  #remembered = 0;

  constructor({ overrides = {}, defaultPrice, packagePrices, features }: PriceBookOptions) {
    this.#features = new FeaturePrices(features);
    this.#findOverride = createOverrides(overrides);
    this.#package = packagePrices ?? createPackagePrices();
    this.#default = defaultPrice && compileOverride(defaultPrice);
  }

  price(provider: string, model: string, usage: MeteredUsage, atMs: number): PriceAnswer {
    const entry = this.#entry(provider, model);
    if (!entry) return UNKNOWN;
    return { costNanos: this.#cost(entry.prices, usage, atMs), priced: entry.source };
  }

  worstCase(provider: string, model: string, bounds: WorstCaseTokens, atMs: number): PriceAnswer {
    const entry = this.#entry(provider, model);
    if (!entry) return UNKNOWN;
    const now = activePrice(entry.prices, atMs);
    const later = activePrice(entry.prices, atMs + MAX_CALL_MS);
    let costNanos = this.#maxCost(now, bounds);
    if (later !== now) costNanos = Math.max(costNanos, this.#maxCost(later, bounds));
    return { costNanos, priced: entry.source };
  }

  #maxCost(list: PriceList, bounds: WorstCaseTokens): Nanos {
    const { inputTokens, outputTokens, mayCacheForAnHour = true, mayReadMedia = false } = bounds;
    const tokens = maxCostOf(list, { inputTokens, outputTokens, mayCacheForAnHour, mayReadMedia });
    if (!bounds.tiers && !bounds.toolUses) return tokens;
    const tools = bounds.toolUses ? costOfTools(list, bounds.toolUses) : 0;
    const total = this.#features.atMost(tokens, bounds.tiers ?? []) + tools;
    return Math.min(total, Number.MAX_SAFE_INTEGER);
  }

  findUnpriced(provider: string, model: string, features: PricedFeatures): string | undefined {
    const entry = this.#entry(provider, model);
    return entry ? this.#features.findUnpriced(entry.prices[0].list, features) : undefined;
  }

  isPriced(provider: string, model: string): boolean {
    return this.#entry(provider, model) !== null;
  }

  costNanos(provider: string, model: string, usage: MeteredUsage, atMs: number): Nanos {
    const prices = this.#entry(provider, model)?.prices ?? builtInPrices('claude-opus-4');
    return prices ? this.#cost(prices, usage, atMs) : 0;
  }

  /** A tier is a factor of the tokens' price, and not of that of tools and of the request, which may contain a search. */
  #cost(prices: DatedPrices, usage: MeteredUsage, atMs: number): Nanos {
    const list = activePrice(prices, atMs);
    const cost = costOf(list, usage);
    const { tiers, unconfirmedTiers: unconfirmed } = usage;
    if (!tiers && !unconfirmed) return cost;
    const tools = usage.extras ? costOfTools(list, usage.extras.toolUses) : 0;
    const uses = tools + list.requestNanos;
    const tokens = this.#features.atTiers(cost - uses, tiers);
    return (unconfirmed ? this.#features.atMost(tokens, unconfirmed) : tokens) + uses;
  }

  load(): void {
    this.#package.load();
  }

  #entry(provider: string, model: string): Entry | null {
    const known = this.#byProvider.get(provider)?.get(model);
    if (known !== undefined) return known;
    const entry = model.length > MAX_MODEL_NAME ? null : this.#find(provider, model);
    this.#remember(provider, model, entry);
    return entry;
  }

  #find(provider: string, model: string): Entry | null {
    const found = this.#findPrices(provider, model);
    if (!found) return null;
    const prices = this.#withTools(found.prices, model);
    if (!searchesAlways(model)) return { ...found, prices };
    const searching = withSearches(prices);
    return searching ? { ...found, prices: searching } : null;
  }

  #withTools([first, ...rest]: DatedPrices, model: string): DatedPrices {
    const priced = (dated: DatedPrices[0]): DatedPrices[0] => ({
      ...dated,
      list: this.#features.withTools(dated.list, model),
    });
    return [priced(first), ...rest.map(priced)];
  }

  #findPrices(provider: string, model: string): Entry | null {
    const override = this.#findOverride(provider, model);
    if (override) return { prices: override, source: 'override' };
    const listed = this.#package.find(provider, model);
    if (listed) return { prices: listed, source: 'package' };
    const builtIn = builtInPrices(model);
    if (builtIn) return { prices: builtIn, source: 'built_in' };
    return this.#default ? { prices: this.#default, source: 'default' } : null;
  }

  #remember(provider: string, model: string, entry: Entry | null): void {
    if (this.#remembered >= REMEMBERED_MODELS) {
      this.#byProvider.clear();
      this.#remembered = 0;
    }
    let models = this.#byProvider.get(provider);
    if (!models) this.#byProvider.set(provider, (models = new Map()));
    models.set(model, entry);
    this.#remembered += 1;
  }
}

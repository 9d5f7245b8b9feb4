// The maintained price package, converted into price lists. It is large (half a megabyte of source, about 6 MiB of memory), so
// it is loaded with the first model that is looked up, or by `load`. It uses the network only through its `updatePrices`,
// which is never called. Its floats become whole numbers through their decimal text, so 0.1 is exactly a tenth.

import { createRequire } from 'node:module';
import type {
  ConditionalPrice,
  calcPrice,
  findProvider,
  ModelInfo,
  ModelPrice,
} from '@pydantic/genai-prices';
import { usdToNanos } from '../../kernel/money.ts';
import { isListedName } from './listed-name.ts';
import {
  type DatedPrice,
  type DatedPrices,
  type PriceList,
  type PriceStep,
  type PriceTime,
  priceStep,
} from './price-list.ts';

export type PackagePrices = {
  load(): void;
  /** Undefined for a model that the package does not know or has no token prices for. */
  find(provider: string, model: string): DatedPrices | undefined;
};

export function createPackagePrices(): PackagePrices {
  const require = createRequire(import.meta.url);
  let loaded: Package | undefined;

  function load(): Package {
    loaded ??= require('@pydantic/genai-prices') as Package;
    return loaded;
  }

  return {
    load: () => void load(),
    find(provider, model) {
      const prices = modelPrices(load(), provider, model);
      return prices && compile(prices);
    },
  };
}

type Package = { readonly calcPrice: typeof calcPrice; readonly findProvider: typeof findProvider };

/** A provider that the package names differently is found by the model's name. */
function modelPrices(
  source: Package,
  provider: string,
  model: string,
): ModelInfo['prices'] | undefined {
  try {
    const known =
      source.findProvider({ providerId: provider }) ?? source.findProvider({ modelId: model });
    if (!known) return undefined;
    const found = source.calcPrice({}, model, { providerId: known.id })?.model;
    return found && isListedName(model, found) ? found.prices : undefined;
  } catch {
    // The package throws for entries without a price; they count as unknown.
    return undefined;
  }
}

function compile(stated: ModelInfo['prices']): DatedPrices | undefined {
  const entries: readonly ConditionalPrice[] = Array.isArray(stated)
    ? stated
    : [{ prices: stated }];
  const dated: DatedPrice[] = [];
  for (const { constraint, prices } of entries) {
    const list = compileList(prices);
    if (!list) return undefined;
    dated.push({ time: compileTime(constraint), list });
  }
  const [first, ...rest] = dated;
  return first && [first, ...rest];
}

function compileTime(constraint: ConditionalPrice['constraint']): PriceTime {
  if (!constraint) return { kind: 'always' };
  if (constraint.type === 'start_date')
    return { kind: 'since', sinceMs: Date.parse(constraint.start_date) };
  return {
    kind: 'daily',
    startSecond: secondOfDay(constraint.start_time),
    endSecond: secondOfDay(constraint.end_time),
  };
}

function secondOfDay(time: string): number {
  return (Date.parse(`1970-01-02T${time}`) / 1000) % 86_400;
}

/** Prices of counts that attempts do not read: citations of Perplexity's deep research, and videos as output. */
const UNMETERED = ['output_citation_mtok', 'output_video_mtok'];

/** Models without a price for input tokens (transcription by the hour, pages) have no token prices. */
function compileList(prices: ModelPrice): PriceList | undefined {
  if (prices['input_mtok'] === undefined || UNMETERED.some((key) => key in prices))
    return undefined;
  const first = stepAt(prices, BELOW_ALL);
  const later = stepStarts(prices).map((start) => stepAt(prices, start));
  const perThousand = prices['requests_kcount'];
  const requestNanos =
    typeof perThousand === 'number' ? Math.ceil(usdToNanos(perThousand) / 1000) : 0;
  return { steps: [first, ...later], requestNanos, toolNanos: toolPrices(prices) };
}

/** The package states some tools per thousand uses. */
const TOOLS = { web_searches_kcount: 'web_search', storage_searches_kcount: 'file_search' };

function toolPrices(prices: ModelPrice): Readonly<Record<string, number>> {
  const nanos: Record<string, number> = {};
  for (const [key, kind] of Object.entries(TOOLS)) {
    const perThousand = prices[key];
    if (typeof perThousand === 'number') nanos[kind] = Math.ceil(usdToNanos(perThousand) / 1000);
  }
  return nanos;
}

function stepStarts(prices: ModelPrice): number[] {
  const starts = new Set<number>();
  for (const price of Object.values(prices)) {
    if (typeof price === 'object') for (const tier of price.tiers) starts.add(tier.start);
  }
  return [...starts].sort((one, other) => one - other);
}

function stepAt(prices: ModelPrice, aboveTokens: number): PriceStep {
  const at = (key: string): number | undefined => nanosAt(prices[key], aboveTokens);
  return priceStep(aboveTokens, {
    input: at('input_mtok') ?? 0,
    output: at('output_mtok'),
    reasoning: at('output_reasoning_mtok'),
    cacheRead: at('cache_read_mtok'),
    cacheWrite: at('cache_write_mtok'),
    cacheWrite1h: at('cache_write_1h_mtok'),
    media: {
      audioInput: at('input_audio_mtok'),
      imageInput: at('input_image_mtok'),
      videoInput: at('input_video_mtok'),
      audioCache: at('cache_audio_read_mtok'),
      imageCache: at('cache_image_read_mtok'),
      audioOutput: at('output_audio_mtok'),
      imageOutput: at('output_image_mtok'),
    },
  });
}

function nanosAt(price: ModelPrice[string], aboveTokens: number): number | undefined {
  if (price === undefined) return undefined;
  if (typeof price === 'number') return usdToNanos(price);
  let usd = price.base;
  let reached = BELOW_ALL;
  for (const { start, price: tierUsd } of price.tiers) {
    if (start > aboveTokens || start < reached) continue;
    reached = start;
    usd = tierUsd;
  }
  return usdToNanos(usd);
}

/** The first step, below every tier, even one that starts at zero. */
const BELOW_ALL = -1;

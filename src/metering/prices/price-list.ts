// The price of one model, compiled once into whole numbers so that pricing a request takes a few multiplications. A list has
// steps for long contexts: the whole request is priced at the step that its input reaches, as the providers do. A price may
// have a start date or apply to some hours of the day; `activePrice` selects it.

import {
  ceilMillionths,
  costOfTokens,
  HIGHEST_PER_MILLION,
  type Nanos,
  PLAIN_TOKENS,
  rateOf,
  type TokenRate,
} from '../../kernel/money.ts';
import type { MeteredUsage } from '../../kernel/usage.ts';
import { type MediaRates, mediaRates, mediaSurcharge, type StatedMedia } from './media-rates.ts';

/** Nanodollars per million tokens; undefined if not stated. */
export type StatedPrices = {
  readonly input: Nanos;
  readonly output?: Nanos | undefined;
  readonly reasoning?: Nanos | undefined;
  readonly cacheRead?: Nanos | undefined;
  readonly cacheWrite?: Nanos | undefined;
  readonly cacheWrite1h?: Nanos | undefined;
  readonly media?: StatedMedia | undefined;
};

export type PriceStep = {
  /** The step applies to requests with more input than this, cached tokens included. */
  readonly aboveTokens: number;
  readonly input: TokenRate;
  readonly output: TokenRate;
  readonly reasoning: TokenRate;
  readonly cacheRead: TokenRate;
  readonly cacheWrite: TokenRate;
  readonly cacheWrite1h: TokenRate;
  /** Undefined for a model whose audio and images cost as much as text. */
  readonly media: MediaRates | undefined;
};

export type PriceList = {
  /** In ascending order; the first one applies to every request, its `aboveTokens` is -1. */
  readonly steps: readonly [PriceStep, ...PriceStep[]];
  readonly requestNanos: Nanos;
  /** The price of one use of a tool that the provider runs, by the tool's kind. */
  readonly toolNanos: Readonly<Record<string, Nanos>>;
};

export type PriceTime =
  | { readonly kind: 'always' }
  | { readonly kind: 'since'; readonly sinceMs: number }
  /** Seconds of the day in UTC; across midnight if the end is before the start. */
  | { readonly kind: 'daily'; readonly startSecond: number; readonly endSecond: number };

/** The last price that applies, otherwise the first. */
export type DatedPrices = readonly [DatedPrice, ...DatedPrice[]];
export type DatedPrice = { readonly time: PriceTime; readonly list: PriceList };

export function priceStep(aboveTokens: number, stated: StatedPrices): PriceStep {
  const { input, output = input, cacheRead = input, cacheWrite = input } = stated;
  const textPrices = { input, output, cacheRead: stated.cacheRead };
  // If only the five-minute cache write has a price, the one-hour write costs Anthropic's proportion of it.
  const longWrite = cacheWrite > input ? Math.ceil(cacheWrite * 1.6) : cacheWrite;
  return {
    aboveTokens,
    input: checkedRate(input),
    output: checkedRate(output),
    reasoning: checkedRate(stated.reasoning ?? output),
    cacheRead: checkedRate(cacheRead),
    cacheWrite: checkedRate(cacheWrite),
    cacheWrite1h: checkedRate(stated.cacheWrite1h ?? longWrite),
    media: stated.media && mediaRates(stated.media, textPrices, checkedRate),
  };
}

export function activePrice(prices: DatedPrices, atMs: number): PriceList {
  for (let index = prices.length - 1; index > 0; index -= 1) {
    const dated = prices[index];
    if (dated && isActive(dated.time, atMs)) return dated.list;
  }
  return prices[0].list;
}

/** The cost of the usage, rounded up once to a whole nanodollar. */
export function costOf(list: PriceList, usage: MeteredUsage): Nanos {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } =
    usage;
  const inputTotal = inputTokens + cacheReadTokens + cacheWriteTokens + cacheWrite1hTokens;
  const step = stepFor(list, usage.contextTokens ?? inputTotal);
  if (inputTotal + outputTokens > PLAIN_TOKENS) return costOfMany(list, step, usage);
  const reasoningTokens = Math.min(usage.reasoningTokens, outputTokens);
  const plainTokens = outputTokens - reasoningTokens;
  const nanos =
    inputTokens * step.input.nanos +
    plainTokens * step.output.nanos +
    reasoningTokens * step.reasoning.nanos +
    cacheReadTokens * step.cacheRead.nanos +
    cacheWriteTokens * step.cacheWrite.nanos +
    cacheWrite1hTokens * step.cacheWrite1h.nanos;
  const millionths =
    inputTokens * step.input.millionths +
    plainTokens * step.output.millionths +
    reasoningTokens * step.reasoning.millionths +
    cacheReadTokens * step.cacheRead.millionths +
    cacheWriteTokens * step.cacheWrite.millionths +
    cacheWrite1hTokens * step.cacheWrite1h.millionths;
  const { extras } = usage;
  if (!extras) return nanos + ceilMillionths(millionths) + list.requestNanos;
  const media = step.media ? mediaSurcharge(step.media, step, extras) : NO_SURCHARGE;
  return (
    nanos +
    media.nanos +
    ceilMillionths(millionths + media.millionths) +
    list.requestNanos +
    costOfTools(list, extras.toolUses)
  );
}

const NO_SURCHARGE: TokenRate = Object.freeze({ nanos: 0, millionths: 0 });

export function costOfTools(list: PriceList, uses: Readonly<Record<string, number>>): Nanos {
  return Object.entries(uses).reduce(
    (cost, [kind, count]) => cost + count * (list.toolNanos[kind] ?? 0),
    0,
  );
}

export type TokenBounds = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The request may write to the one-hour cache. */
  readonly mayCacheForAnHour: boolean;
  /** The request contains or refers to audio or images. */
  readonly mayReadMedia: boolean;
};

/** The maximum cost of the token counts, however the provider classifies the tokens. */
export function maxCostOf(
  list: PriceList,
  { inputTokens, outputTokens, mayCacheForAnHour, mayReadMedia }: TokenBounds,
): Nanos {
  let most = 0;
  for (const step of list.steps) {
    if (step.aboveTokens >= inputTokens) break;
    const cached = mayCacheForAnHour ? step.cacheWrite1h : step.cacheWrite;
    const read = mayReadMedia && step.media ? dearestInput(step.media) : step.input;
    const text = dearest(step.input, dearest(step.cacheRead, dearest(step.cacheWrite, cached)));
    const input = dearest(text, read);
    const output = dearestOutput(step);
    const written = mostWritten(step, outputTokens);
    const cost = costOfTokens(inputTokens, input) + costOfTokens(written, output);
    if (cost > most) most = cost;
  }
  return Math.min(most + list.requestNanos, Number.MAX_SAFE_INTEGER);
}

/** An image is written as a whole, whatever the maximum of the output. */
function mostWritten({ media }: PriceStep, outputTokens: number): number {
  if (outputTokens === 0 || media?.kinds.has('image') !== true) return outputTokens;
  return Math.max(outputTokens, IMAGE_OUTPUT_TOKENS);
}

/** More than the largest image of Gemini has. */
const IMAGE_OUTPUT_TOKENS = 3000;

function dearestInput({ audioInput, imageInput, videoInput }: MediaRates): TokenRate {
  return dearest(audioInput, dearest(imageInput, videoInput));
}

function dearestOutput({ output, reasoning, media }: PriceStep): TokenRate {
  const text = dearest(output, reasoning);
  return media ? dearest(text, dearest(media.audioOutput, media.imageOutput)) : text;
}

function checkedRate(nanosPerMillion: Nanos): TokenRate {
  if (!Number.isSafeInteger(nanosPerMillion) || nanosPerMillion < 0)
    throw new RangeError(`${nanosPerMillion} is not a price`);
  return rateOf(Math.min(nanosPerMillion, HIGHEST_PER_MILLION));
}

function isActive(time: PriceTime, atMs: number): boolean {
  if (time.kind === 'always') return true;
  if (time.kind === 'since') return atMs >= time.sinceMs;
  const second = (atMs / 1000) % 86_400;
  return time.endSecond < time.startSecond
    ? second >= time.startSecond || second < time.endSecond
    : second >= time.startSecond && second < time.endSecond;
}

function stepFor(list: PriceList, inputTotal: number): PriceStep {
  const { steps } = list;
  for (let index = steps.length - 1; index > 0; index -= 1) {
    const step = steps[index];
    if (step && inputTotal > step.aboveTokens) return step;
  }
  return steps[0];
}

/** For token counts beyond any model's: the result is still chargeable and stays a safe integer. */
function costOfMany(list: PriceList, step: PriceStep, usage: MeteredUsage): Nanos {
  const media = usage.extras && step.media;
  const input = media ? dearest(step.input, dearestInput(media)) : step.input;
  const output = media ? dearestOutput(step) : dearest(step.output, step.reasoning);
  const cost =
    costOfTokens(usage.inputTokens, input) +
    costOfTokens(usage.outputTokens, output) +
    costOfTokens(usage.cacheReadTokens, step.cacheRead) +
    costOfTokens(usage.cacheWriteTokens, step.cacheWrite) +
    costOfTokens(usage.cacheWrite1hTokens, step.cacheWrite1h);
  const tools = usage.extras ? costOfTools(list, usage.extras.toolUses) : 0;
  return Math.min(cost + list.requestNanos + tools, Number.MAX_SAFE_INTEGER);
}

function dearest(one: TokenRate, other: TokenRate): TokenRate {
  if (one.nanos !== other.nanos) return one.nanos > other.nanos ? one : other;
  return one.millionths >= other.millionths ? one : other;
}

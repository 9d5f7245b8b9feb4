// Prices of audio, image and video tokens. A provider reports them as parts of the input, cached input and output; a model
// without such prices charges them like text.

import type { Nanos, TokenRate } from '../../kernel/money.ts';
import type { UsageExtras } from '../../kernel/usage.ts';

/** Nanodollars per million tokens; undefined if not stated. */
export type StatedMedia = {
  readonly audioInput?: Nanos | undefined;
  readonly imageInput?: Nanos | undefined;
  readonly videoInput?: Nanos | undefined;
  readonly audioCache?: Nanos | undefined;
  readonly imageCache?: Nanos | undefined;
  readonly audioOutput?: Nanos | undefined;
  readonly imageOutput?: Nanos | undefined;
};

export type MediaRates = {
  readonly audioInput: TokenRate;
  readonly imageInput: TokenRate;
  readonly videoInput: TokenRate;
  readonly audioCache: TokenRate;
  readonly imageCache: TokenRate;
  readonly audioOutput: TokenRate;
  readonly imageOutput: TokenRate;
  /** The kinds that have a stated price: `audio` and `image` output, and `audio_input`. */
  readonly kinds: ReadonlySet<string>;
};

type TextPrices = {
  readonly input: Nanos;
  readonly output: Nanos;
  /** Undefined for a model whose cached input costs as much as other input. */
  readonly cacheRead: Nanos | undefined;
};
type TextRates = {
  readonly input: TokenRate;
  readonly output: TokenRate;
  readonly cacheRead: TokenRate;
};

/** Undefined if nothing is stated. */
export function mediaRates(
  stated: StatedMedia,
  text: TextPrices,
  rateOf: (nanosPerMillion: Nanos) => TokenRate,
): MediaRates | undefined {
  if (Object.values(stated).every((price) => price === undefined)) return undefined;
  const kinds = new Set<string>();
  if (stated.audioInput !== undefined) kinds.add('audio_input');
  if (stated.audioOutput !== undefined) kinds.add('audio');
  if (stated.imageOutput !== undefined) kinds.add('image');
  const { input, cacheRead } = text;
  const { audioInput = input, imageInput = input, videoInput = input } = stated;
  return {
    audioInput: rateOf(audioInput),
    imageInput: rateOf(imageInput),
    videoInput: rateOf(videoInput),
    audioCache: rateOf(stated.audioCache ?? cacheRead ?? audioInput),
    imageCache: rateOf(stated.imageCache ?? cacheRead ?? imageInput),
    audioOutput: rateOf(stated.audioOutput ?? text.output),
    imageOutput: rateOf(stated.imageOutput ?? text.output),
    kinds,
  };
}

/** The price of the media parts minus that of as many text tokens; negative where media is cheaper. */
export function mediaSurcharge(media: MediaRates, text: TextRates, extras: UsageExtras): TokenRate {
  const parts: readonly (readonly [number, TokenRate, TokenRate])[] = [
    [extras.audioInputTokens, media.audioInput, text.input],
    [extras.imageInputTokens, media.imageInput, text.input],
    [extras.videoInputTokens, media.videoInput, text.input],
    [extras.audioCacheTokens, media.audioCache, text.cacheRead],
    [extras.imageCacheTokens, media.imageCache, text.cacheRead],
    [extras.audioOutputTokens, media.audioOutput, text.output],
    [extras.imageOutputTokens, media.imageOutput, text.output],
  ];
  let nanos = 0;
  let millionths = 0;
  for (const [tokens, rate, replaced] of parts) {
    nanos += tokens * (rate.nanos - replaced.nanos);
    millionths += tokens * (rate.millionths - replaced.millionths);
  }
  return { nanos, millionths };
}

// The maximum number of tokens that providers count for one image of any size: by its tiles or patches at the highest
// level of detail. Pure.

/** Keyed by a part of the model's name; the first match applies. */
const LARGE: readonly (readonly [RegExp, number])[] = [
  // 2,833 tokens and 5,667 for each of eight tiles.
  [/gpt-4o-mini/i, 48_169],
  // 30,000 patches at 1.2 tokens.
  [/gpt-(?:5\.[6-9]|[6-9]|\d\d)/i, 36_000],
  // 10,000 patches at 1.2 tokens.
  [/gpt-5\.[45]/i, 12_000],
];

export const DEFAULT_IMAGE_TOKENS = 6000;

export function imageTokens(model: string): number {
  return LARGE.find(([name]) => name.test(model))?.[1] ?? DEFAULT_IMAGE_TOKENS;
}

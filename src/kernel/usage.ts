// What a call used, in tokens, the same for every provider. `inputTokens` excludes cached ones, whatever
// the provider's own field does; `reasoningTokens` are part of `outputTokens` and kept for information.

export type Usage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  /** Written to a cache that lives 5 minutes. */
  readonly cacheWriteTokens: number;
  /** Written to a cache that lives an hour. */
  readonly cacheWrite1hTokens: number;
  readonly reasoningTokens: number;
};

export const NO_USAGE: Usage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  reasoningTokens: 0,
});

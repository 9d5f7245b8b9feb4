// The tokens of one attempt, in the same fields for every provider. `inputTokens` excludes cached tokens, whatever the
// provider's own field does; `reasoningTokens` are part of `outputTokens`, for information.

export type Usage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  /** Written to a cache with a lifetime of 5 minutes. */
  readonly cacheWriteTokens: number;
  /** Written to a cache with a lifetime of one hour. */
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

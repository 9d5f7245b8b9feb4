// The tokens of one attempt, in the same fields for every provider. `inputTokens` excludes cached tokens, even if the
// provider's field includes them; `reasoningTokens` are part of `outputTokens`, for information.

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

/** Parts of the usage with prices of their own. The token counts are parts of the counts of `Usage`. */
export type UsageExtras = {
  readonly audioInputTokens: number;
  readonly imageInputTokens: number;
  readonly videoInputTokens: number;
  readonly audioCacheTokens: number;
  readonly imageCacheTokens: number;
  readonly audioOutputTokens: number;
  readonly imageOutputTokens: number;
  /** Uses of tools that the provider ran, by kind, such as `web_search`. */
  readonly toolUses: Readonly<Record<string, number>>;
};

/** Processing tiers by the name of their field: `{ service_tier: 'priority' }`. */
export type UsageTiers = Readonly<Record<string, string>>;

/** Usage as a provider reports it: the stored counts, and everything else that has a price. */
export type MeteredUsage = Usage & {
  /** Undefined when the provider reports none. */
  readonly extras?: UsageExtras | undefined;
  /** Undefined when the provider reports none. */
  readonly tiers?: UsageTiers | undefined;
  /** Requested tiers that the answer does not confirm: they may raise its cost but not lower it. */
  readonly unconfirmedTiers?: readonly { readonly tier: string }[] | undefined;
  /**
   * The largest context where the input is the sum of several contexts; it decides whether the price of long contexts
   * applies.
   */
  readonly contextTokens?: number | undefined;
  /** Whether cache writes are reported without their lifetime, where the format usually differs. */
  readonly lacksLifetimes?: boolean | undefined;
  /** Undefined for a complete report. */
  readonly missing?: MissingCounts | undefined;
};

/**
 * Counts that the provider did not report, reported as something other than a count, or reported before the last part
 * of the answer: an estimate replaces them if it is higher.
 */
export type MissingCounts = { readonly input: boolean; readonly output: boolean };

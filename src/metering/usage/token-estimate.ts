// Estimates tokens as a quarter of the bytes, for every model: the same bytes always cost the same, and an operator can check
// the result by hand. Used before the provider reports usage (the reservation of a token limit) or if it never does (an
// interrupted stream); a cost based on it is marked as estimated.

import { type MeteredUsage, NO_USAGE } from '../../kernel/usage.ts';

export const BYTES_PER_TOKEN = 4;

export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/**
 * The usage of an interrupted answer or of an incomplete report: the reported counts, and estimates of the missing counts. An
 * output count reported early in a stream is incomplete, so a higher estimate wins.
 */
export function estimateUsage(
  inputBytes: number,
  outputBytes: number,
  known: MeteredUsage | undefined,
): MeteredUsage {
  const usage = known ?? NO_USAGE;
  const isInputKnown = known !== undefined && known.missing?.input !== true;
  return {
    ...usage,
    inputTokens: isInputKnown ? usage.inputTokens : estimateTokens(inputBytes),
    outputTokens: Math.max(usage.outputTokens, estimateTokens(outputBytes)),
  };
}

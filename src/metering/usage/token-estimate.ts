// How many tokens are so many bytes? A quarter of them, whatever the model: the same bytes always cost the same, and an
// operator can check it by hand. Used where a number is needed before the provider says one (the reservation of a rate
// limit) or where it never does (a stream that was cut); what is charged by it is marked as estimated.

import { NO_USAGE, type Usage } from '../../kernel/usage.ts';

const BYTES_PER_TOKEN = 4;

export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/**
 * The usage of an answer whose end never came: what the provider did say, and estimates for the rest. A count told early
 * in a stream is a part of the truth, so an output estimate above it wins.
 */
export function estimateUsage(
  inputBytes: number,
  outputBytes: number,
  known: Usage | undefined,
): Usage {
  const usage = known ?? { ...NO_USAGE, inputTokens: estimateTokens(inputBytes) };
  return { ...usage, outputTokens: Math.max(usage.outputTokens, estimateTokens(outputBytes)) };
}

// What a call used when the provider did not, or not fully, say so. Bytes ÷ 4 is what tokens come to in
// ordinary text; such records are marked as estimated.

import { NO_USAGE, type Usage } from '../kernel/usage.ts';

const BYTES_PER_TOKEN = 4;

/** `reported` is what the stream said before it ended early: its input is right, its output may lag behind. */
export function estimateUsage(
  reported: Usage | undefined,
  requestBody: Buffer,
  answerBytes: number,
): Usage {
  const outputTokens = Math.ceil(answerBytes / BYTES_PER_TOKEN);
  if (reported) return { ...reported, outputTokens: Math.max(reported.outputTokens, outputTokens) };
  return {
    ...NO_USAGE,
    inputTokens: Math.ceil(requestBody.length / BYTES_PER_TOKEN),
    outputTokens,
  };
}

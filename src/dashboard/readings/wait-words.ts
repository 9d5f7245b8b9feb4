// The reason for a wait in words, by the code that the job or the request got. The page Jobs has the same words
// (web/pages/jobs/job-words.ts); its test compares them.

export const WAIT_WORDS: Readonly<Record<string, string>> = {
  RATE_LIMITED: 'waits for a free slot',
  AI_LIMIT_REACHED: "waits for the provider's limit to reset",
  PROVIDER_UNAVAILABLE: 'waits for a provider to recover',
  NETWORK_TIMEOUT: 'waits to retry after a timeout',
  CAPACITY_EXHAUSTED: 'waits for capacity',
  BUDGET_EXCEEDED: 'waits for budget',
};

export function waitWords(code: string): string {
  return WAIT_WORDS[code] ?? `waits after ${code}`;
}

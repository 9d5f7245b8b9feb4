// The ways in which a provider fails a client. The simulator plays the scenario for both sides; a budget exists only in
// Spillway, so that its counterpart is an exhausted balance.

export type Failure = {
  readonly name: string;
  readonly about: string;
  readonly scenario: Readonly<Record<string, unknown>>;
  /** SDKs stream; agents always do. */
  readonly isStream?: boolean;
  /** In place of the client's model. */
  readonly model?: string;
  /** Spillway's organisation has a budget of nothing, and the provider is healthy. */
  readonly isBudget?: boolean;
  /** Takes minutes: only with --full. */
  readonly isLong?: boolean;
  /** In place of the usual minute. */
  readonly timeLimitMs?: number;
};

export const FAILURES: readonly Failure[] = [
  {
    name: 'usage-limit',
    about: 'the plan is exhausted for an hour',
    scenario: { preset: 'usage-limit' },
  },
  {
    name: 'throttle-once',
    about: 'one 429 that states 2 s, then healthy',
    scenario: { preset: 'rate-limit', times: 1 },
  },
  {
    name: 'throttle',
    about: 'every request gets a 429 that states 2 s',
    scenario: { preset: 'rate-limit' },
  },
  { name: 'server-error', about: 'every request gets a 500', scenario: { preset: 'server-error' } },
  {
    name: 'overloaded',
    about: 'every request gets 529 (Anthropic) or 503',
    scenario: { preset: 'overloaded' },
  },
  {
    name: 'stream-cut',
    about: 'every stream is cut after three chunks',
    scenario: { preset: 'cut' },
    isStream: true,
  },
  {
    name: 'context-too-long',
    about: 'the prompt exceeds the context window',
    scenario: { preset: 'context-too-long' },
  },
  {
    name: 'content-policy',
    about: 'the content is refused with an error',
    scenario: { preset: 'content-policy' },
  },
  {
    name: 'unknown-model',
    about: 'the model does not exist',
    scenario: { preset: 'model-not-found' },
    model: 'no-such-model',
  },
  {
    name: 'refused-key',
    about: 'the provider refuses the key; through Spillway it is Spillway’s own',
    scenario: { preset: 'credentials-refused' },
  },
  {
    name: 'budget',
    about: 'the balance is exhausted; through Spillway the budget',
    scenario: { preset: 'credits-exhausted' },
    isBudget: true,
  },
  {
    name: 'slow',
    about: 'the provider takes 65 s to begin its answer',
    scenario: { latencyMs: 65_000 },
    isLong: true,
    timeLimitMs: 180_000,
  },
  {
    name: 'hang',
    about: 'the provider accepts the request and never answers',
    scenario: { preset: 'hang' },
    isStream: true,
    isLong: true,
    timeLimitMs: 400_000,
  },
];

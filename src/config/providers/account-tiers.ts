// The tiers of provider accounts and their limits. The file and variables override every limit.

export const TIERS = ['free', 'build', 'scale', 'enterprise'] as const;
export type Tier = (typeof TIERS)[number];

export type TierLimits = {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly tokensPerDay?: number;
};

/** `enterprise` has no limits of its own: the configuration sets them. */
export const TIER_LIMITS: Readonly<Record<Tier, TierLimits>> = {
  free: { requestsPerMinute: 5, tokensPerMinute: 10_000, tokensPerDay: 100_000 },
  build: { requestsPerMinute: 50, tokensPerMinute: 50_000, tokensPerDay: 1_000_000 },
  scale: { requestsPerMinute: 1000, tokensPerMinute: 400_000, tokensPerDay: 10_000_000 },
  enterprise: {},
};

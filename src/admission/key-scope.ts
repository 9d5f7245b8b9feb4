// The scopes of a key: the groups of endpoints it may use.

export const KEY_SCOPES = ['call', 'jobs', 'events', 'limits:report', 'metrics'] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

export const DEFAULT_KEY_SCOPES: readonly KeyScope[] = Object.freeze(['call', 'jobs', 'events']);

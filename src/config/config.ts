// The type of the one configuration record: validated once at start, deep-frozen, handed to `app/` alone.
// Sections come from the table of settings; providers, aliases and models are resolved, so that nobody else
// has to know of tiers, variables and inheritance.

import type { ProviderFormat } from '../kernel/provider-format.ts';
import type { BuiltInName, Tier } from './providers/built-in-providers.ts';
import type { ALIAS_STRATEGIES, MODEL_ROWS } from './schema/named-settings.ts';
import type { ValuesOf } from './schema/setting.ts';
import type { SETTINGS } from './schema/settings.ts';

export type Sections = {
  readonly [S in keyof typeof SETTINGS]: ValuesOf<(typeof SETTINGS)[S]>;
};

export type Config = Omit<Sections, 'server' | 'dispatcher'> & {
  readonly server: Sections['server'] & {
    /** Whether anybody set the port: a dispatcher or worker listens only then. */
    readonly isPortSet: boolean;
  };
  readonly dispatcher: Sections['dispatcher'] & {
    /** As listed, else all that have a key. */
    readonly availableProviders: readonly string[];
  };
  /** Without a prototype: a name from a request can be looked up as it is. */
  readonly providers: Readonly<Record<string, ProviderConfig>> &
    Readonly<Record<BuiltInName, ProviderConfig>>;
  readonly aliases: Readonly<Record<string, AliasConfig>>;
  readonly models: Readonly<Record<string, ModelConfig>>;
};

export type ProviderConfig = {
  readonly name: string;
  readonly format: ProviderFormat;
  /** Without a slash at its end. `openai`: ends in /v1 unless a path was given; others: no version in it. */
  readonly baseUrl: string;
  readonly region: string;
  /** Patterns of model names that are this provider's; a star stands for any text. */
  readonly models: readonly string[];
  readonly defaultModel: string | undefined;
  readonly queue: string;
  /** Those with a key, at least one when `hasKey`. The key of the provider itself is the account `default`. */
  readonly accounts: readonly AccountConfig[];
  readonly hasKey: boolean;
  /** What all accounts may be asked together; without a key, what one would be. */
  readonly rateLimitPerMinute: number;
  readonly windowMs: number;
  readonly limitGuardMs: number;
};

export type AccountConfig = {
  readonly name: string;
  readonly apiKey: string;
  readonly region: string;
  readonly tier: Tier | undefined;
  readonly requestsPerMinute: number;
  readonly tokensPerMinute: number | undefined;
  readonly tokensPerDay: number | undefined;
};

export type AliasStrategy = (typeof ALIAS_STRATEGIES)[number];

export type AliasConfig = {
  readonly name: string;
  readonly strategy: AliasStrategy;
  readonly targets: readonly AliasTarget[];
};

export type AliasTarget = { readonly provider: string; readonly model: string };

export type ModelConfig = ValuesOf<typeof MODEL_ROWS>;

/** Where a value came from; later ones win. */
export type Source = 'default' | 'file' | '.env' | 'environment';

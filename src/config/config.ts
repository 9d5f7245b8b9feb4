// The type of the configuration record: validated once at start, deep-frozen, passed to `app/` only. Sections come from
// the table of settings; providers, aliases and models are resolved, so that no other code deals with tiers, variables
// and inheritance.

import type { OpenAiEndpoint, ProviderFormat } from '../kernel/provider-format.ts';
import type { Tier } from './providers/account-tiers.ts';
import type { BuiltInName } from './providers/built-in-providers.ts';
import type { CompatMode } from './schema/compat.ts';
import type { ALIAS_STRATEGIES, MODEL_ROWS, TRANSLATE_MODES } from './schema/named-settings.ts';
import type { ValuesOf } from './schema/setting.ts';
import type { SETTINGS } from './schema/settings.ts';

export type Sections = {
  readonly [S in keyof typeof SETTINGS]: ValuesOf<(typeof SETTINGS)[S]>;
};

export type Config = Omit<Sections, 'server' | 'dispatcher'> & {
  readonly compat: CompatMode | undefined;
  readonly server: Sections['server'] & {
    /** Whether the port is set explicitly: a dispatcher or worker listens only then. */
    readonly isPortSet: boolean;
  };
  readonly dispatcher: Sections['dispatcher'] & {
    /** The listed providers, else all providers with a key. */
    readonly availableProviders: readonly string[];
  };
  /** Without a prototype, so that a lookup with a name from a request is safe. */
  readonly providers: Readonly<Record<string, ProviderConfig>> &
    Readonly<Record<BuiltInName, ProviderConfig>>;
  readonly aliases: Readonly<Record<string, AliasConfig>>;
  readonly models: Readonly<Record<string, ModelConfig>>;
};

export type ProviderConfig = {
  readonly name: string;
  readonly format: ProviderFormat;
  /** Without a trailing slash. `openai`: ends in /v1 unless a path was given; others: without a version. */
  readonly baseUrl: string;
  readonly region: string;
  /** Patterns of the model names it claims; a star matches any text. */
  readonly models: readonly string[];
  readonly defaultModel: string | undefined;
  /** The endpoint for translated requests; only OpenAI's format has a choice. */
  readonly translateTo: OpenAiEndpoint;
  /** Undefined: a provider of OpenAI's format has both endpoints. */
  readonly onlyEndpoint: OpenAiEndpoint | undefined;
  readonly queue: string;
  /** The accounts with a key; not empty if `hasKey`. The provider's own key is the account `default`. */
  readonly accounts: readonly AccountConfig[];
  readonly hasKey: boolean;
  /** The sum over all accounts; without a key, the limit of one account. */
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
  /** Shares of the targets under round-robin, by `provider/model`. */
  readonly weights: Readonly<Record<string, number>> | undefined;
  /** Tried after all targets, in order. */
  readonly fallbacks: readonly AliasTarget[];
  /** Lenient: fields without a counterpart at a target of another format are dropped. */
  readonly translate: (typeof TRANSLATE_MODES)[number];
};

export type AliasTarget = { readonly provider: string; readonly model: string };

export type ModelConfig = ValuesOf<typeof MODEL_ROWS>;

/** The source of a value; later sources override earlier ones. */
export type Source = 'default' | 'preset' | 'file' | '.env' | 'environment';

// The three built-in providers. The file and variables override every value.

import type { ProviderFormat } from '../../kernel/provider-format.ts';

export type BuiltInProvider = {
  readonly format: ProviderFormat;
  readonly baseUrl: string;
  readonly requestsPerMinute: number;
  /** Patterns of the model names it claims; a star matches any text. */
  readonly models: readonly string[];
  readonly defaultModel: string;
};

export const BUILT_IN_PROVIDERS = {
  anthropic: {
    format: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    requestsPerMinute: 400,
    models: ['claude-*'],
    defaultModel: 'claude-sonnet-5-5',
  },
  openai: {
    format: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    requestsPerMinute: 5000,
    models: ['gpt-*', 'o*', 'text-embedding-*'],
    defaultModel: 'gpt-5-mini',
  },
  gemini: {
    format: 'gemini',
    baseUrl: 'https://generativelanguage.googleapis.com',
    requestsPerMinute: 500,
    models: ['gemini-*'],
    defaultModel: 'gemini-2.5-flash',
  },
} as const satisfies Readonly<Record<string, BuiltInProvider>>;

export type BuiltInName = keyof typeof BUILT_IN_PROVIDERS;

export const BUILT_IN_NAMES: readonly BuiltInName[] = ['anthropic', 'openai', 'gemini'];

/** The default limit of a provider that is not built in. */
export const OTHER_REQUESTS_PER_MINUTE = 1000;

export function builtIn(name: string): BuiltInProvider | undefined {
  const found = BUILT_IN_NAMES.find((known) => known === name);
  return found && BUILT_IN_PROVIDERS[found];
}

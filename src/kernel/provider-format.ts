// The three wire formats of providers. A provider has one format; every "OpenAI-compatible" provider has `openai`.

export const PROVIDER_FORMATS = ['anthropic', 'openai', 'gemini'] as const;
export type ProviderFormat = (typeof PROVIDER_FORMATS)[number];

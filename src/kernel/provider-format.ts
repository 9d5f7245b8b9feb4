// The three wire formats that providers speak. A provider has one format; several providers may share one
// (everything that is "OpenAI-compatible" speaks `openai`).

export const PROVIDER_FORMATS = ['anthropic', 'openai', 'gemini'] as const;
export type ProviderFormat = (typeof PROVIDER_FORMATS)[number];

// The three wire formats of providers. A provider has one format; every "OpenAI-compatible" provider has `openai`.

export const PROVIDER_FORMATS = ['anthropic', 'openai', 'gemini'] as const;
export type ProviderFormat = (typeof PROVIDER_FORMATS)[number];

/** The endpoints of OpenAI's format that generate an answer. Every compatible provider has `chat`. */
export const OPENAI_ENDPOINTS = ['chat', 'responses'] as const;
export type OpenAiEndpoint = (typeof OPENAI_ENDPOINTS)[number];

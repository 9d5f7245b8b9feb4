// Fields of Chat Completions that OpenAI knows and some compatible providers refuse or ignore. Pure.

type Provider = { readonly provider: string; readonly origin: string };

/** Mistral refuses `stream_options.include_usage` with 422 and reports the usage of every stream. */
export function knowsUsageOption({ origin }: Pick<Provider, 'origin'>): boolean {
  return !/[/.]mistral\.ai(?::\d+)?$/.test(origin);
}

/**
 * False for providers that document `max_tokens` alone: they refuse `max_completion_tokens` (Mistral) or ignore it without a word
 * (DeepSeek, Z.ai), so that the answer has the model's maximum.
 */
export function knowsNewMaximum({ provider, origin }: Provider): boolean {
  return !OLD_MAXIMUM.test(`${provider} ${origin}`.toLowerCase());
}

const OLD_MAXIMUM =
  /deepseek|mistral|moonshot|together|nvidia|chutes|perplexity|zhipu|bigmodel|^z\.?ai\b|\.z\.ai\b/;

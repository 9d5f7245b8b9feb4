// The size of a model's context window in tokens: from the configuration, else from the maintained model list, else the
// most common size.

export type ContextTokensOf = (model: string) => number;

export type StatedWindows = Readonly<
  Record<string, { readonly contextTokens?: number | undefined } | undefined>
>;

export const DEFAULT_CONTEXT_TOKENS = 200_000;

/** Callers choose model names, so the cache is bounded. */
const MAX_CACHED_MODELS = 2000;

export function createContextTokens(
  models: StatedWindows,
  known: (model: string) => number | undefined,
): ContextTokensOf {
  const cached = new Map<string, number>();
  return (model) => {
    const before = cached.get(model);
    if (before !== undefined) return before;
    const tokens = models[model]?.contextTokens ?? known(model) ?? DEFAULT_CONTEXT_TOKENS;
    if (cached.size >= MAX_CACHED_MODELS) cached.clear();
    cached.set(model, tokens);
    return tokens;
  };
}

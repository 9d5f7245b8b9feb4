// How many tokens fit into a model's context window. The configuration has the last word, then whoever maintains a
// list of models; a model that nobody knows is taken to have the size that most have.

export type ContextTokensOf = (model: string) => number;

export type StatedWindows = Readonly<
  Record<string, { readonly contextTokens?: number | undefined } | undefined>
>;

export const USUAL_CONTEXT_TOKENS = 200_000;

/** Callers choose model names, so what is remembered of them is bounded. */
const REMEMBERED_MODELS = 2000;

export function createContextTokens(
  models: StatedWindows,
  known: (model: string) => number | undefined,
): ContextTokensOf {
  const remembered = new Map<string, number>();
  return (model) => {
    const before = remembered.get(model);
    if (before !== undefined) return before;
    const tokens = models[model]?.contextTokens ?? known(model) ?? USUAL_CONTEXT_TOKENS;
    if (remembered.size >= REMEMBERED_MODELS) remembered.clear();
    remembered.set(model, tokens);
    return tokens;
  };
}

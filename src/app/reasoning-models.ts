// Decides which models are reasoning models, which get longer timeouts: from the configuration, else by the providers'
// naming schemes.

import type { Config } from '../config/config.ts';

const REASONING_NAME =
  /^(o\d|gpt-5|gemini-(2\.5|3)-pro|claude-(opus|sonnet)-4|deepseek-(r|v4|reason))/;

/** Callers choose model names, so the cache is bounded. */
const MAX_CACHED_MODELS = 2000;

export function createIsReasoning(models: Config['models']): (model: string) => boolean {
  const cached = new Map<string, boolean>();
  return (model) => {
    const known = cached.get(model);
    if (known !== undefined) return known;
    const isReasoning = models[model]?.reasoning ?? REASONING_NAME.test(model);
    if (cached.size >= MAX_CACHED_MODELS) cached.clear();
    cached.set(model, isReasoning);
    return isReasoning;
  };
}

// Which models think before they speak, and so are given longer for their first word. The configuration
// has the last word; the rest goes by the names the providers give such models.

import type { Config } from '../config/config.ts';

const REASONING_NAME =
  /^(o\d|gpt-5|gemini-(2\.5|3)-pro|claude-(opus|sonnet)-4|deepseek-(r|v4|reason))/;

/** Callers choose model names, so what is remembered of them is bounded. */
const REMEMBERED_MODELS = 2000;

export function createIsReasoning(models: Config['models']): (model: string) => boolean {
  const remembered = new Map<string, boolean>();
  return (model) => {
    const known = remembered.get(model);
    if (known !== undefined) return known;
    const isReasoning = models[model]?.reasoning ?? REASONING_NAME.test(model);
    if (remembered.size >= REMEMBERED_MODELS) remembered.clear();
    remembered.set(model, isReasoning);
    return isReasoning;
  };
}

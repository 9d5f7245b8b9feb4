// Which models think before they speak, and so are given longer for their first word. The configuration
// has the last word; the rest goes by the names the providers give such models.

import type { Config } from '../config/config.ts';

const REASONING_NAME =
  /^(o\d|gpt-5|gemini-(2\.5|3)-pro|claude-(opus|sonnet)-4|deepseek-(r|v4|reason))/;

export function createIsReasoning(models: Config['models']): (model: string) => boolean {
  return (model) => models[model]?.reasoning ?? REASONING_NAME.test(model);
}

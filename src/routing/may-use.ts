// Decides whether a key restricted to certain models may use a model. The list holds models, aliases, `provider/model`,
// or patterns in which a star matches any text. A pattern without a slash matches only names without a slash: `o*`
// means OpenAI's o-series and not every model of a provider with a name that begins with an o.

import { isPattern, matchesPattern } from '../kernel/name-pattern.ts';
import type { Target } from './target.ts';

/** Without a list every model is allowed. A list that contains an alias allows each of its targets. */
export function mayUse(
  allowed: ReadonlySet<string> | undefined,
  requestedName: string,
  target: Pick<Target, 'provider' | 'model'>,
): boolean {
  if (allowed === undefined || allowed.has('*')) return true;
  const { model } = target;
  const fullName = `${target.provider}/${model}`;
  const names = [requestedName, model, fullName];
  if (names.some((name) => allowed.has(name))) return true;
  for (const pattern of allowed) {
    if (isPattern(pattern) && names.some((name) => matches(pattern, name))) return true;
  }
  return false;
}

function matches(pattern: string, name: string): boolean {
  return name.includes('/') === pattern.includes('/') && matchesPattern(pattern, name);
}

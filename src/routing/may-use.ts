// May a key that is bound to certain models use this one? The list names models, aliases, `provider/model`, or
// patterns of them in which a star stands for any text. A pattern without a slash speaks of names without one: `o*`
// means OpenAI's o-series and never everything of a provider whose name begins with an o.

import { isPattern, matchesPattern } from './name-pattern.ts';
import type { Target } from './target.ts';

/** Without a list everything may be used. For an alias, naming the alias is enough for each of its targets. */
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
    if (isPattern(pattern) && names.some((name) => isMeant(pattern, name))) return true;
  }
  return false;
}

function isMeant(pattern: string, name: string): boolean {
  return name.includes('/') === pattern.includes('/') && matchesPattern(pattern, name);
}

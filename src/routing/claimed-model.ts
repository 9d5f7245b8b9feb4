// Finds the provider of a model name. Each provider claims names by patterns (`claude-*` is Anthropic's);
// `provider/model` names its provider explicitly. Whether that provider has a key is not decided here.

import { matchesPattern } from '../kernel/name-pattern.ts';
import type { RoutableProvider } from './target.ts';

export type ClaimedModel = {
  readonly provider: RoutableProvider;
  /** The name without the provider prefix. */
  readonly model: string;
};

export type FindClaim = (name: string) => ClaimedModel | undefined;

export function createFindClaim(providers: readonly RoutableProvider[]): FindClaim {
  const byName = new Map(providers.map((provider) => [provider.name, provider]));
  return (name) => {
    const slash = name.indexOf('/');
    const named = slash > 0 ? byName.get(name.slice(0, slash)) : undefined;
    if (named && slash < name.length - 1) return { provider: named, model: name.slice(slash + 1) };
    const provider = bestClaim(providers, name);
    return provider && { provider, model: name };
  };
}

/** The longest matching pattern wins: `openhermes-*` of a configured provider over OpenAI's `o*`. */
function bestClaim(
  providers: readonly RoutableProvider[],
  name: string,
): RoutableProvider | undefined {
  let best: RoutableProvider | undefined;
  let specificity = -1;
  for (const provider of providers) {
    for (const pattern of provider.models) {
      if (pattern.length <= specificity || !matchesPattern(pattern, name)) continue;
      best = provider;
      specificity = pattern.length;
    }
  }
  return best;
}

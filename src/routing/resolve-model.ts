// Which one target does a model's name mean, when one is enough? The first account of whoever claims the
// name. Calls that may use every account and alias go by `resolve-targets`.

import { createFindClaim } from './claimed-model.ts';
import { type RoutableProvider, type Target, targetsOf } from './target.ts';

/** Callers choose model names, so what is remembered of them is bounded. */
const REMEMBERED_MODELS = 2000;

export type Resolution =
  | { readonly outcome: 'target'; readonly target: Target }
  | { readonly outcome: 'unknown_model' }
  | { readonly outcome: 'no_key'; readonly provider: string };

export type ModelResolver = (model: string) => Resolution;

export function createModelResolver(providers: readonly RoutableProvider[]): ModelResolver {
  const findClaim = createFindClaim(providers);
  const remembered = new Map<string, Resolution>();

  function resolve(name: string): Resolution {
    const claim = findClaim(name);
    if (!claim) return { outcome: 'unknown_model' };
    const target = targetsOf(claim.provider, claim.model)[0];
    if (!target) return { outcome: 'no_key', provider: claim.provider.name };
    return { outcome: 'target', target };
  }

  return (name) => {
    const known = remembered.get(name);
    if (known) return known;
    const resolution = resolve(name);
    if (remembered.size >= REMEMBERED_MODELS) remembered.clear();
    remembered.set(name, resolution);
    return resolution;
  };
}

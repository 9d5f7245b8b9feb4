// Which target does a model's name mean? Each provider claims names by patterns (`claude-*` is Anthropic's),
// and `provider/model` says it itself. A request that names a model goes there and nowhere else.

import type { RoutableProvider, Target } from './target.ts';

/** Callers choose model names, so what is remembered of them is bounded. */
const REMEMBERED_MODELS = 2000;

export type Resolution =
  | { readonly outcome: 'target'; readonly target: Target }
  | { readonly outcome: 'unknown_model' }
  | { readonly outcome: 'no_key'; readonly provider: string };

export type ModelResolver = (model: string) => Resolution;

export function createModelResolver(providers: readonly RoutableProvider[]): ModelResolver {
  const byName = new Map(providers.map((provider) => [provider.name, provider]));
  const remembered = new Map<string, Resolution>();

  function resolve(name: string): Resolution {
    const found = findProvider(name);
    if (!found) return { outcome: 'unknown_model' };
    const [provider, model] = found;
    const account = provider.accounts[0];
    if (!account) return { outcome: 'no_key', provider: provider.name };
    return { outcome: 'target', target: makeTarget(provider, account, model) };
  }

  function findProvider(name: string): [RoutableProvider, string] | undefined {
    const slash = name.indexOf('/');
    const named = slash > 0 ? byName.get(name.slice(0, slash)) : undefined;
    if (named && slash < name.length - 1) return [named, name.slice(slash + 1)];
    const claims = providers.flatMap((provider) =>
      provider.models
        .filter((pattern) => matchesPattern(pattern, name))
        .map((pattern) => ({ provider, specificity: pattern.length })),
    );
    // `openhermes-*` of a configured provider says more than OpenAI's `o*`.
    const best = claims.sort((a, b) => b.specificity - a.specificity)[0];
    return best && [best.provider, name];
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

/** A star stands for any text. Literal parts are found from the left, so it cannot backtrack. */
function matchesPattern(pattern: string, name: string): boolean {
  const parts = pattern.split('*');
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.endsWith(last) && name.length - last.length >= at;
}

function makeTarget(
  provider: RoutableProvider,
  account: { readonly name: string; readonly apiKey: string },
  model: string,
): Target {
  const url = new URL(provider.baseUrl);
  return Object.freeze({
    provider: provider.name,
    account: account.name,
    region: provider.region,
    format: provider.format,
    model,
    origin: url.origin,
    basePath: url.pathname.replace(/\/+$/, ''),
    apiKey: account.apiKey,
  });
}

// The models that this gateway can serve, for the lists that SDKs ask for: the aliases, and of every provider with a
// key the models that are known by name. Patterns are no models. A model is listed by the name a request would use:
// its own where its provider claims it, else `provider/model`. No provider is ever asked, so this works while all of
// them are away.

import { createFindClaim, type FindClaim } from './claimed-model.ts';
import { mayUse } from './may-use.ts';
import { isPattern } from './name-pattern.ts';
import type { RoutableAlias } from './resolve-targets.ts';
import type { RoutableProvider } from './target.ts';

export type ServableModel = {
  /** What a request names it. */
  readonly id: string;
  readonly displayName: string;
  /** The provider's name, or `alias`. */
  readonly owner: string;
  readonly contextTokens: number;
  readonly isEmbedding: boolean;
};

export type ListableProvider = RoutableProvider & { readonly defaultModel?: string | undefined };

export type NamedModel = { readonly id: string; readonly displayName: string };

export type ModelSources = {
  readonly providers: readonly ListableProvider[];
  readonly aliases: readonly RoutableAlias[];
  /** Models of the configuration that have no star in their name belong to whoever claims them. */
  readonly configured: readonly string[];
  readonly known: (provider: string) => readonly NamedModel[];
  /** What has no price is refused, so it is not listed. */
  readonly isPriced: (provider: string, model: string) => boolean;
  readonly contextTokens: (model: string) => number;
};

type AllowedModels = ReadonlySet<string> | undefined;

export type ServableModels = {
  /** Those that a key may use, aliases first, each part in alphabetical order. */
  readonly list: (allowed: AllowedModels) => readonly ServableModel[];
  /** Also one that nobody lists but that would be served, such as a dated name. */
  readonly find: (id: string, allowed: AllowedModels) => ServableModel | undefined;
};

type Listed = {
  readonly shown: ServableModel;
  readonly targets: readonly { readonly provider: string; readonly model: string }[];
};

export function createServableModels(sources: ModelSources): ServableModels {
  const findClaim = createFindClaim(sources.providers);
  let made: ReadonlyMap<string, Listed> | undefined;

  function all(): ReadonlyMap<string, Listed> {
    if (made) return made;
    const listed = [...listAliases(sources), ...listModels(sources, findClaim)];
    made = new Map(listed.map((each) => [each.shown.id, each]));
    return made;
  }

  function unlisted(id: string): Listed | undefined {
    const { provider, model } = findClaim(id) ?? {};
    if (!provider || model === undefined || !hasKey(provider)) return undefined;
    if (!sources.isPriced(provider.name, model)) return undefined;
    return listedAs(sources, id, provider, { id: model, displayName: model });
  }

  return {
    list: (allowed) =>
      [...all().values()].filter((each) => isOpen(each, allowed)).map(({ shown }) => shown),
    find(id, allowed) {
      const found = all().get(id) ?? unlisted(id);
      return found && isOpen(found, allowed) ? found.shown : undefined;
    },
  };
}

/** Of an alias all targets must be open: a request for it may go to any of them. */
function isOpen({ shown, targets }: Listed, allowed: AllowedModels): boolean {
  return targets.every((target) => mayUse(allowed, shown.id, target));
}

function listAliases({ aliases, providers, isPriced, contextTokens }: ModelSources): Listed[] {
  const callable = new Set(providers.filter(hasKey).map(({ name }) => name));
  return aliases.toSorted(byName).flatMap(({ name, targets }) => {
    const usable = targets.filter(
      ({ provider, model }) => callable.has(provider) && isPriced(provider, model),
    );
    const [first] = usable;
    if (!first) return [];
    const shown = {
      id: name,
      displayName: name,
      owner: 'alias',
      // What the chain can take: a longer prompt moves on to the target that has room for it.
      contextTokens: Math.max(...usable.map(({ model }) => contextTokens(model))),
      isEmbedding: isEmbedding(first.model),
    };
    return [{ shown, targets: usable }];
  });
}

function listModels(sources: ModelSources, findClaim: FindClaim): Listed[] {
  const taken = new Set(sources.aliases.map(({ name }) => name));
  const models = sources.providers.filter(hasKey).flatMap((provider) =>
    namedModels(sources, provider, findClaim).map((model) => {
      const isOwn = findClaim(model.id)?.provider === provider && !taken.has(model.id);
      const id = isOwn ? model.id : `${provider.name}/${model.id}`;
      return listedAs(sources, id, provider, model);
    }),
  );
  return models.sort((a, b) => compare(a.shown.id, b.shown.id));
}

function listedAs(
  { contextTokens }: ModelSources,
  id: string,
  provider: RoutableProvider,
  model: NamedModel,
): Listed {
  const shown = {
    id,
    displayName: model.displayName,
    owner: provider.name,
    contextTokens: contextTokens(model.id),
    isEmbedding: isEmbedding(model.id),
  };
  return { shown, targets: [{ provider: provider.name, model: model.id }] };
}

/** Known by the maintained list, named by the configuration, or the provider's own default; each once. */
function namedModels(
  { known, configured, isPriced }: ModelSources,
  provider: ListableProvider,
  findClaim: FindClaim,
): readonly NamedModel[] {
  const { name, models, defaultModel } = provider;
  const claims = (id: string) => findClaim(id)?.provider === provider;
  // A provider that claims names has said which of the known ones are its own; one that claims none has them all.
  const wellKnown = known(name).filter(({ id }) => models.length === 0 || claims(id));
  const stated = [
    ...models.filter((model) => !isPattern(model)),
    ...configured.filter(claims),
    ...(defaultModel === undefined ? [] : [defaultModel]),
  ];
  const byId = new Map<string, NamedModel>();
  for (const id of stated) byId.set(id, { id, displayName: id });
  for (const model of wellKnown) byId.set(model.id, model);
  return [...byId.values()].filter(({ id }) => isPriced(name, id));
}

function hasKey({ accounts }: RoutableProvider): boolean {
  return accounts.length > 0;
}

function isEmbedding(model: string): boolean {
  return /embed/i.test(model);
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

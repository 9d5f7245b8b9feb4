// The models that this gateway serves in one wire format, for the model lists of the SDKs: the aliases, and the models
// known by name of every provider with a key. Models of other formats, which are served by translation, follow and are
// marked as such. Embeddings are not translated. Patterns are not listed. A model is listed under the name that a
// request uses: its own name where its provider claims it, else `provider/model`. Listing calls no provider, so it
// works while all providers are unavailable.

import { isPattern } from '../kernel/name-pattern.ts';
import type { ProviderFormat } from '../kernel/provider-format.ts';
import { createFindClaim, type FindClaim } from './claimed-model.ts';
import { mayUse } from './may-use.ts';
import type { RoutableAlias } from './resolve-targets.ts';
import type { RoutableProvider } from './target.ts';

export type ServableModel = {
  /** The name in requests. */
  readonly id: string;
  readonly displayName: string;
  /** The provider's name, or `alias`. */
  readonly owner: string;
  readonly contextTokens: number;
  readonly isEmbedding: boolean;
  /** No target has the format of the list: requests are translated. */
  readonly isTranslated: boolean;
};

export type ListableProvider = RoutableProvider & { readonly defaultModel?: string | undefined };

export type NamedModel = { readonly id: string; readonly displayName: string };

export type ModelSources = {
  readonly providers: readonly ListableProvider[];
  readonly aliases: readonly RoutableAlias[];
  /** Model names of the configuration without a star; each belongs to the provider that claims it. */
  readonly configured: readonly string[];
  readonly known: (provider: string) => readonly NamedModel[];
  /** A model without a price is refused, so it is not listed. */
  readonly isPriced: (provider: string, model: string) => boolean;
  readonly contextTokens: (model: string) => number;
};

type AllowedModels = ReadonlySet<string> | undefined;

export type ServableModels = {
  /** The models of a format that a key may use: aliases, then models, each in alphabetical order. */
  readonly list: (format: ProviderFormat, allowed: AllowedModels) => readonly ServableModel[];
  /** Also finds an unlisted model that would be served, such as a dated name. */
  readonly find: (
    id: string,
    format: ProviderFormat,
    allowed: AllowedModels,
  ) => ServableModel | undefined;
};

type Listed = {
  readonly shown: ServableModel;
  readonly targets: readonly { readonly provider: string; readonly model: string }[];
};

export function createServableModels(sources: ModelSources): ServableModels {
  const findClaim = createFindClaim(sources.providers);
  const made = new Map<ProviderFormat, ReadonlyMap<string, Listed>>();

  function all(format: ProviderFormat): ReadonlyMap<string, Listed> {
    const known = made.get(format);
    if (known) return known;
    const own = { ...sources, format, callable: sources.providers.filter(isCallable) };
    const listed = [...listAliases(own), ...listModels(own, findClaim)].filter(isServed(format));
    const isForeign = ({ shown }: Listed) => shown.isTranslated;
    const ordered = [...listed.filter((each) => !isForeign(each)), ...listed.filter(isForeign)];
    const byId = new Map(ordered.map((each) => [each.shown.id, each]));
    made.set(format, byId);
    return byId;
  }

  function unlisted(id: string, format: ProviderFormat): Listed | undefined {
    const { provider, model } = findClaim(id) ?? {};
    if (!provider || model === undefined || !isCallable(provider)) return undefined;
    if (!sources.isPriced(provider.name, model)) return undefined;
    const own = { ...sources, format };
    const listed = listedAs(own, id, provider, { id: model, displayName: model });
    return isServed(format)(listed) ? listed : undefined;
  }

  return {
    list: (format, allowed) =>
      [...all(format).values()]
        .filter((each) => isAllowed(each, allowed))
        .map(({ shown }) => shown),
    find(id, format, allowed) {
      const found = all(format).get(id) ?? unlisted(id, format);
      return found && isAllowed(found, allowed) ? found.shown : undefined;
    },
  };
}

/** Sources with the providers that have a key, for a list in one format. */
type FormatSources = ModelSources & {
  readonly format: ProviderFormat;
  readonly callable: readonly ListableProvider[];
};

function isCallable(provider: RoutableProvider): boolean {
  return provider.accounts.length > 0;
}

/** Anthropic's format has no endpoint for embeddings, and embeddings of other formats are not translated. */
function isServed(format: ProviderFormat): (listed: Listed) => boolean {
  return ({ shown }) => !shown.isEmbedding || (format !== 'anthropic' && !shown.isTranslated);
}

/** A request for an alias may go to any of its targets, so all of them have to be allowed. */
function isAllowed({ shown, targets }: Listed, allowed: AllowedModels): boolean {
  return targets.every((target) => mayUse(allowed, shown.id, target));
}

function listAliases(sources: FormatSources): Listed[] {
  const { aliases, callable, format, isPriced, contextTokens } = sources;
  const formats = new Map(callable.map((provider) => [provider.name, provider.format]));
  return aliases.toSorted(byName).flatMap(({ name, targets, fallbacks }) => {
    const usable = [...targets, ...fallbacks].filter(
      ({ provider, model }) => formats.has(provider) && isPriced(provider, model),
    );
    const [first] = usable;
    if (!first) return [];
    const shown = {
      id: name,
      displayName: name,
      owner: 'alias',
      // The largest window of the chain: a longer prompt moves on to a target that can take it.
      contextTokens: Math.max(...usable.map(({ model }) => contextTokens(model))),
      isEmbedding: isEmbedding(first.model),
      isTranslated: usable.every(({ provider }) => formats.get(provider) !== format),
    };
    return [{ shown, targets: usable }];
  });
}

function listModels(sources: FormatSources, findClaim: FindClaim): Listed[] {
  const taken = new Set(sources.aliases.map(({ name }) => name));
  const models = sources.callable.flatMap((provider) =>
    namedModels(sources, provider, findClaim).map((model) => {
      const isOwn = findClaim(model.id)?.provider === provider && !taken.has(model.id);
      const id = isOwn ? model.id : `${provider.name}/${model.id}`;
      return listedAs(sources, id, provider, model);
    }),
  );
  return models.sort((a, b) => compare(a.shown.id, b.shown.id));
}

function listedAs(
  { contextTokens, format }: Pick<FormatSources, 'contextTokens' | 'format'>,
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
    isTranslated: provider.format !== format,
  };
  return { shown, targets: [{ provider: provider.name, model: model.id }] };
}

/** Models of the maintained list, of the configuration, and the provider's default; without duplicates. */
function namedModels(
  { known, configured, isPriced }: ModelSources,
  provider: ListableProvider,
  findClaim: FindClaim,
): readonly NamedModel[] {
  const { name, models, defaultModel } = provider;
  const claims = (id: string) => findClaim(id)?.provider === provider;
  // The patterns of a provider select from the known models; a provider without patterns has all of them.
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

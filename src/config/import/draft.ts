// The result of an import before it is written: the sections of spillway.yaml, and the organisations and keys that
// commands create, because they live in the store and not in the file.

import { builtIn } from '../providers/built-in-providers.ts';

export type AccountDraft = LimitsDraft & { readonly name: string; readonly variable: string };

export type LimitsDraft = {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly tokensPerDay?: number;
};

export type ProviderDraft = LimitsDraft & {
  readonly name: string;
  readonly format?: string;
  readonly baseUrl?: string;
  readonly apiKey?: 'none';
  readonly apiKeyVariable?: string;
  readonly models?: readonly string[];
  readonly accounts?: readonly AccountDraft[];
};

export type AliasDraft = {
  readonly name: string;
  readonly strategy: 'ordered' | 'round-robin' | 'least-loaded';
  readonly targets: readonly string[];
  /** Shares of the targets under round-robin; absent: equal turns. */
  readonly weights?: Readonly<Record<string, number>> | undefined;
  readonly fallbacks: readonly string[];
};

export type OrganizationDraft = LimitsDraft & {
  readonly id: string;
  readonly name?: string;
  readonly monthlyBudgetUsd?: number;
  readonly userMonthlyBudgetUsd?: number;
  readonly maxConcurrent?: number;
};

export type KeyDraft = {
  readonly organization: string;
  readonly name: string;
  readonly models: readonly string[];
  readonly monthlyBudgetUsd?: number;
  readonly requestsPerMinute?: number;
  readonly expiresAt?: string;
};

type Values = Record<string, unknown>;

export class Draft {
  readonly providers = new Map<string, ProviderDraft>();
  readonly aliases = new Map<string, AliasDraft>();
  readonly organizations = new Map<string, OrganizationDraft>();
  readonly keys: KeyDraft[] = [];
  /** Fields that a target of another wire format lacks are dropped, as the peer does. */
  dropsFields = false;
  readonly #sections = new Map<string, Values>();

  /** `path` is a setting such as `retry.errorRetries`; the last dot separates its key. */
  set(path: string, value: unknown): void {
    const dot = path.indexOf('.');
    const [section, key] = [path.slice(0, dot), path.slice(dot + 1)];
    this.#sections.set(section, { ...this.#sections.get(section), [key]: value });
  }

  /** Keeps the larger of two numbers. */
  raise(path: string, value: number): void {
    const dot = path.indexOf('.');
    const known = this.#sections.get(path.slice(0, dot))?.[path.slice(dot + 1)];
    this.set(path, typeof known === 'number' ? Math.max(known, value) : value);
  }

  setNamed(section: 'models' | 'prices.models', name: string, values: Values): void {
    const [top = '', key] = section.split('.');
    const own = this.#sections.get(top) ?? {};
    if (key === undefined) own[name] = { ...asValues(own[name]), ...values };
    else own[key] = { ...asValues(own[key]), [name]: values };
    this.#sections.set(top, own);
  }

  organization(id: string, change: Omit<OrganizationDraft, 'id'> = {}): void {
    this.organizations.set(id, { ...this.organizations.get(id), ...change, id });
  }

  /** The content of spillway.yaml. */
  toFile(): Values {
    const named = (all: ReadonlyMap<string, { readonly name: string }>): Values =>
      Object.fromEntries(
        [...all].map(([name, { name: _name, ...values }]) => [name, compact(values)]),
      );
    return {
      ...(this.providers.size > 0 && { providers: named(this.providers) }),
      ...(this.aliases.size > 0 && { aliases: named(this.#translatedAliases()) }),
      ...Object.fromEntries(this.#sections),
    };
  }

  #translatedAliases(): ReadonlyMap<string, AliasDraft & { readonly translate?: 'lenient' }> {
    if (!this.dropsFields) return this.aliases;
    const foreign = [...this.providers.values()].filter(isForeign).map(({ name }) => `${name}/`);
    const isTranslated = ({ targets, fallbacks }: AliasDraft): boolean =>
      [...targets, ...fallbacks].some((target) => foreign.some((name) => target.startsWith(name)));
    return new Map(
      [...this.aliases].map(([name, alias]) => [
        name,
        { ...alias, ...(isTranslated(alias) && { translate: 'lenient' as const }) },
      ]),
    );
  }
}

/** Whether the provider has a wire format other than OpenAI's. */
function isForeign({ name, format }: Pick<ProviderDraft, 'name' | 'format'>): boolean {
  return (format ?? builtIn(name)?.format ?? 'openai') !== 'openai';
}

/** Without absent values, empty lists and the strategy that is the default anyway. */
function compact(values: Values): Values {
  const isShown = ([key, value]: [string, unknown]): boolean =>
    value !== undefined &&
    !(Array.isArray(value) && value.length === 0) &&
    !(key === 'strategy' && value === 'ordered');
  return Object.fromEntries(
    Object.entries(values)
      .filter(isShown)
      .map(([key, value]) => [key, key === 'accounts' ? accountsOf(value) : value]),
  );
}

function accountsOf(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map(({ variable, ...rest }: AccountDraft) => {
    const { name, ...limits } = rest;
    return { name, apiKeyVariable: variable, ...limits };
  });
}

function asValues(value: unknown): Values {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

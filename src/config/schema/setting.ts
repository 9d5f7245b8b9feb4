// One row of the tables of settings: what a setting is called in the environment, of what kind it is, what it
// is when nobody sets it and what it means. Its path in the file is where it stands in the table.

import type { Kind } from './kind.ts';

export type Setting<T> = {
  /** The environment variable; `{PROVIDER}` stands for a provider's name in capitals. Absent: file only. */
  readonly env: string | undefined;
  readonly kind: Kind<T>;
  readonly default: T;
  /** In words, where the default is not a value: what happens when it is not set. */
  readonly whenUnset?: string;
  /** The key of the same table whose value is taken when this one is not set. */
  readonly sameAs?: string;
  readonly about: string;
};

export type Rows = Readonly<Record<string, Setting<unknown>>>;

export type ValuesOf<R extends Rows> = {
  readonly [K in keyof R]: R[K] extends Setting<infer T> ? T : never;
};

export const FILE_ONLY = undefined;

export function setting<T>(
  env: string | undefined,
  kind: Kind<T>,
  byDefault: NoInfer<T>,
  about: string,
): Setting<T> {
  return { env, kind, default: byDefault, about };
}

/** A setting that may be left out; `whenUnset` says in a few words what happens then. */
export function optional<T>(
  env: string | undefined,
  kind: Kind<T>,
  whenUnset: string,
  about: string,
): Setting<T | undefined> {
  return { env, kind, default: undefined, whenUnset, about };
}

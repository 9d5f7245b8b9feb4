// One row of the tables of settings: its environment variable, its kind, its default and its meaning. Its position in
// the table is its path in the file.

import type { Kind } from './kind.ts';

export type Setting<T> = {
  /** The environment variable; `{PROVIDER}` is the provider's name in capitals. Undefined: file only. */
  readonly env: string | undefined;
  /** Other spellings of the variable, which win over `env`. */
  readonly otherEnv?: readonly string[];
  readonly kind: Kind<T>;
  readonly default: T;
  /** The effect of leaving the setting out, in words, if the default is not a value. */
  readonly whenUnset?: string;
  /** The key of the same table that provides the default. */
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

/** A setting without a default value; `whenUnset` describes the effect of leaving it out. */
export function optional<T>(
  env: string | undefined,
  kind: Kind<T>,
  whenUnset: string,
  about: string,
): Setting<T | undefined> {
  return { env, kind, default: undefined, whenUnset, about };
}

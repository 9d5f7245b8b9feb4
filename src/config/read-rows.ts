// Reads the values of one table of rows: environment over .env over file over default, each value parsed by
// its kind, and the first that is wrong thrown as one sentence. Unknown keys of the file are an error too,
// since a key that is spelt wrongly would otherwise be a setting silently not made.

import type { Source } from './config.ts';
import { ConfigError, showName, showValue, wrongValue } from './config-error.ts';
import { nearest } from './nearest.ts';
import type { Kind } from './schema/kind.ts';
import type { Rows, Setting, ValuesOf } from './schema/setting.ts';
import type { Sources } from './sources.ts';
import { asMap } from './sources.ts';

/** Where each value came from, by path; what is missing is a default. */
export type Origins = Map<string, Source>;

export type Place = {
  readonly sources: Sources;
  readonly origins: Origins;
  /** The path of this table in the file, such as `server` or `providers.groq`. */
  readonly path: string;
  /** What the file holds there. */
  readonly given: unknown;
  /** What `{PROVIDER}` in a variable's name stands for. */
  readonly provider?: string;
  /** Variables that the file names for keys of this table, in place of the row's own. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Keys that are read elsewhere. */
  readonly otherKeys?: readonly string[];
};

export function readRows<const R extends Rows>(rows: R, place: Place): ValuesOf<R> {
  const given = asMap(inFile(place, place.path), place.given);
  refuseUnknownKeys(place, given, [...Object.keys(rows), ...(place.otherKeys ?? [])]);
  const values: Record<string, unknown> = {};
  for (const [key, row] of Object.entries(rows)) values[key] = readRow(row, key, given[key], place);
  for (const [key, row] of Object.entries(rows))
    if (row.sameAs !== undefined && !place.origins.has(`${place.path}.${key}`))
      values[key] = values[row.sameAs];
  // The one place where the table's types meet the values that its own kinds have parsed.
  return values as ValuesOf<R>;
}

export function refuseUnknownKeys(
  place: Pick<Place, 'path' | 'sources'>,
  given: Readonly<Record<string, unknown>>,
  known: readonly string[],
): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const prefix = place.path === '' ? '' : `${place.path}.`;
  const closest = nearest(unknown, known) ?? '';
  throw new ConfigError(
    `${inFile(place, `${prefix}${showName(unknown)}`)} is not a known key; the nearest one is ${prefix}${closest}.`,
  );
}

export function variableOf(row: Setting<unknown>, provider?: string): string | undefined {
  return row.env?.replace('{PROVIDER}', variablePrefix(provider ?? ''));
}

export function variablePrefix(provider: string): string {
  return provider.toUpperCase().replaceAll('-', '_');
}

export function inFile(place: Pick<Place, 'sources'>, path: string): string {
  return `${path} in ${place.sources.fileName}`;
}

function readRow(row: Setting<unknown>, key: string, fileValue: unknown, place: Place): unknown {
  const path = `${place.path}.${key}`;
  const env = place.variables?.[key] ?? variableOf(row, place.provider);
  const variable = env === undefined ? undefined : place.sources.variable(env);
  if (env !== undefined && variable) {
    place.origins.set(path, variable.source);
    return parse(row.kind, variable.source === '.env' ? `${env} in .env` : env, variable.text);
  }
  if (fileValue === null || fileValue === undefined) return row.default;
  place.origins.set(path, 'file');
  return parse(row.kind, inFile(place, path), fileValue);
}

export function parse<T>(kind: Kind<T>, name: string, raw: unknown): T {
  const result = kind.schema.safeParse(raw);
  if (result.success) return result.data;
  throw wrongValue(name, showRaw(kind, raw), kind.allowed);
}

function showRaw(kind: Kind<unknown>, raw: unknown): string {
  if (kind.mask === undefined) return showValue(raw);
  return typeof raw === 'string' ? showValue(kind.mask(raw)) : 'a value that is not shown';
}

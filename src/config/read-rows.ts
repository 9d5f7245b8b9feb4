// Reads the values of one table of rows: environment over .env over file over preset over default. The first invalid
// value is thrown as one sentence. An unknown key of the file is also an error: a misspelt key would otherwise be
// ignored silently.

import type { Source } from './config.ts';
import { ConfigError, showName, showValue, wrongValue } from './config-error.ts';
import { nearest } from './nearest.ts';
import type { Kind } from './schema/kind.ts';
import type { Rows, Setting, ValuesOf } from './schema/setting.ts';
import type { Sources } from './sources.ts';
import { asMap } from './sources.ts';

/** The source of each value by its path; a missing path is a default. */
export type Origins = Map<string, Source>;

export type TableInput = {
  readonly sources: Sources;
  readonly origins: Origins;
  /** The path of this table in the file, such as `server` or `providers.groq`. */
  readonly path: string;
  /** The value at that path of the file. */
  readonly given: unknown;
  /** Replaces `{PROVIDER}` in the names of variables. */
  readonly provider?: string;
  /** Variables named by the file for keys of this table; they replace the row's variable. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Values of the active preset, by key; each is valid for its row. */
  readonly preset?: Readonly<Record<string, unknown>> | undefined;
  /** Keys that this table may contain and other code reads. */
  readonly otherKeys?: readonly string[];
};

export function readRows<const R extends Rows>(rows: R, input: TableInput): ValuesOf<R> {
  const given = asMap(inFile(input, input.path), input.given);
  refuseUnknownKeys(input, given, [...Object.keys(rows), ...(input.otherKeys ?? [])]);
  const values: Record<string, unknown> = {};
  for (const [key, row] of Object.entries(rows)) values[key] = readRow(row, key, given[key], input);
  for (const [key, row] of Object.entries(rows))
    if (row.sameAs !== undefined && !input.origins.has(pathOf(input.path, key)))
      values[key] = values[row.sameAs];
  // Each value was parsed by the kind of its row, so the type holds.
  return values as ValuesOf<R>;
}

export function refuseUnknownKeys(
  input: Pick<TableInput, 'path' | 'sources'>,
  given: Readonly<Record<string, unknown>>,
  known: readonly string[],
): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const prefix = input.path === '' ? '' : `${input.path}.`;
  const closest = nearest(unknown, known) ?? '';
  throw new ConfigError(
    `${inFile(input, `${prefix}${showName(unknown)}`)} is not a known key; the nearest one is ${prefix}${closest}.`,
  );
}

/** The path of a key in the file; the table at the top has the path ''. */
export function pathOf(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

export function variableOf(row: Setting<unknown>, provider?: string): string | undefined {
  return row.env?.replace('{PROVIDER}', variablePrefix(provider ?? ''));
}

function variablePrefix(provider: string): string {
  return provider.toUpperCase().replaceAll('-', '_');
}

export function inFile(input: Pick<TableInput, 'sources'>, path: string): string {
  return `${path} in ${input.sources.fileName}`;
}

function readRow(
  row: Setting<unknown>,
  key: string,
  fileValue: unknown,
  input: TableInput,
): unknown {
  const path = pathOf(input.path, key);
  const env =
    input.variables?.[key] ?? spellingInUse(row, input.sources) ?? variableOf(row, input.provider);
  const variable = env === undefined ? undefined : input.sources.variable(env);
  if (env !== undefined && variable) {
    input.origins.set(path, variable.source);
    return parse(row.kind, variable.source === '.env' ? `${env} in .env` : env, variable.text);
  }
  if (fileValue === null || fileValue === undefined) return presetOrDefault(row, key, path, input);
  input.origins.set(path, 'file');
  return parse(row.kind, inFile(input, path), fileValue);
}

function presetOrDefault(
  row: Setting<unknown>,
  key: string,
  path: string,
  { preset, origins }: TableInput,
): unknown {
  const value = preset?.[key];
  if (value === undefined) return row.default;
  origins.set(path, 'preset');
  return value;
}

function spellingInUse({ otherEnv = [] }: Setting<unknown>, sources: Sources): string | undefined {
  return otherEnv.find((name) => sources.variable(name) !== undefined);
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

// The three places a value can come from besides its default: the YAML file, the .env file, the environment.
// A file that is not there counts as empty, unless it was asked for by name. This is the only place of the
// configuration that reads files; what cannot be read is a ConfigError without a word of its contents.

import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { LineCounter, parseDocument } from 'yaml';
import { ConfigError, showName, showShape, wrongValue } from './config-error.ts';

export type LoadInput = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** As given by `--config`; it must exist. Without it `spillway.yaml` in `cwd` is read when it is there. */
  readonly configFile?: string;
};

export type Variable = { readonly text: string; readonly source: '.env' | 'environment' };

export type Sources = {
  readonly cwd: string;
  readonly configPath: string | undefined;
  readonly dotenvPath: string | undefined;
  /** The file's name as it can stand in a sentence. */
  readonly fileName: string;
  readonly file: Readonly<Record<string, unknown>>;
  readonly variableNames: readonly string[];
  /** An empty variable counts as not set; an empty one in the environment also hides the one in .env. */
  variable(name: string): Variable | undefined;
};

export function readSources(input: LoadInput): Sources {
  const configPath = findConfigFile(input);
  const dotenvPath = findFile(join(input.cwd, '.env'));
  const dotenv = new Map(Object.entries(dotenvPath ? parseEnv(readText(dotenvPath)) : {}));
  const environment = new Map(Object.entries(input.env).filter(([, text]) => text !== undefined));
  return {
    cwd: input.cwd,
    configPath,
    dotenvPath,
    fileName: basename(configPath ?? 'spillway.yaml'),
    file: configPath ? parseYaml(basename(configPath), readText(configPath)) : {},
    variableNames: [...new Set([...dotenv.keys(), ...environment.keys()])],
    variable(name) {
      const source = environment.has(name) ? 'environment' : '.env';
      const text = (environment.get(name) ?? dotenv.get(name) ?? '').trim();
      return text === '' ? undefined : { text, source };
    },
  };
}

/** A map of the file; null (a key with nothing behind it) counts as empty. */
export function asMap(name: string, given: unknown): Readonly<Record<string, unknown>> {
  if (given === null || given === undefined) return {};
  if (typeof given === 'object' && !Array.isArray(given)) return { ...given };
  throw wrongValue(name, showShape(given), 'a map of keys and values');
}

function findConfigFile({ cwd, configFile }: LoadInput): string | undefined {
  if (configFile === undefined) return findFile(join(cwd, 'spillway.yaml'));
  const path = resolve(cwd, configFile);
  if (existsSync(path)) return path;
  throw wrongValue('--config', showName(configFile), 'the path of a file that exists');
}

function findFile(path: string): string | undefined {
  return existsSync(path) ? path : undefined;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    throw new ConfigError(`${showName(path)} cannot be read (${code}).`, { cause });
  }
}

/** The parser's own messages quote the file, which may hold secrets; only its code and the line are told. */
function parseYaml(name: string, text: string): Readonly<Record<string, unknown>> {
  const lines = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines });
  const error = document.errors[0];
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    const reason = error.code.toLowerCase().replaceAll('_', ' ');
    throw new ConfigError(`${name} is not valid YAML at line ${line}, column ${col} (${reason}).`);
  }
  return asMap(
    name,
    toPlain(name, () => document.toJS({ maxAliasCount: 100 })),
  );
}

function toPlain(name: string, convert: () => unknown): unknown {
  try {
    return convert();
  } catch (cause) {
    throw new ConfigError(`${name} is not valid YAML (its aliases cannot be resolved).`, { cause });
  }
}

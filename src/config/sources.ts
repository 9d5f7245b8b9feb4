// The three sources of a value besides its default: the YAML file, the .env file, the environment. Works on their texts;
// read-files.ts reads the files. Invalid YAML is a ConfigError without any content of the file, which may hold secrets.

import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { parseEnv } from 'node:util';
import type * as Yaml from 'yaml';
import { ConfigError, showName, showShape, wrongValue } from './config-error.ts';

/** Loads the YAML parser only for a file: it takes 2 MiB. */
const require = createRequire(import.meta.url);

export type SourceTexts = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly configFile?: TextFile;
  readonly dotenvFile?: TextFile;
};

export type TextFile = { readonly path: string; readonly text: string };

export type Variable = { readonly text: string; readonly source: '.env' | 'environment' };

export type Sources = {
  readonly cwd: string;
  readonly configPath: string | undefined;
  readonly dotenvPath: string | undefined;
  /** The YAML file's name, for messages. */
  readonly fileName: string;
  readonly file: Readonly<Record<string, unknown>>;
  readonly variableNames: readonly string[];
  /** An empty variable counts as not set; an empty environment variable also hides the one in .env. */
  variable(name: string): Variable | undefined;
};

export function sourcesFrom({ env, cwd, configFile, dotenvFile }: SourceTexts): Sources {
  const fileName = showName(basename(configFile?.path ?? 'spillway.yaml'));
  const dotenv = new Map(Object.entries(parseEnv(dotenvFile?.text ?? '')));
  const environment = new Map(Object.entries(env).filter(([, text]) => text !== undefined));
  return {
    cwd,
    configPath: configFile?.path,
    dotenvPath: dotenvFile?.path,
    fileName,
    file: configFile ? parseYaml(fileName, configFile.text) : {},
    variableNames: [...new Set([...dotenv.keys(), ...environment.keys()])],
    variable(name) {
      const source = environment.has(name) ? 'environment' : '.env';
      const text = (environment.get(name) ?? dotenv.get(name) ?? '').trim();
      return text === '' ? undefined : { text, source };
    },
  };
}

/** A map of the file; null (a key without a value) counts as empty. */
export function asMap(name: string, given: unknown): Readonly<Record<string, unknown>> {
  if (given === null || given === undefined) return {};
  if (typeof given === 'object' && !Array.isArray(given)) return { ...given };
  throw wrongValue(name, showShape(given), 'a map of keys and values');
}

/** The parser's messages quote the file, so the error contains only its code and position. */
function parseYaml(name: string, text: string): Readonly<Record<string, unknown>> {
  const { LineCounter, parseDocument }: typeof Yaml = require('yaml');
  const lines = new LineCounter();
  const options = { prettyErrors: false, lineCounter: lines, logLevel: 'error' } as const;
  const document = parseDocument(text, options);
  const error = document.errors[0];
  if (!error)
    return asMap(
      name,
      toPlain(name, () => document.toJS({ maxAliasCount: 100 })),
    );
  const { line, col } = lines.linePos(error.pos[0]);
  const reason = error.code.toLowerCase().replaceAll('_', ' ');
  throw new ConfigError(`${name} is not valid YAML at line ${line}, column ${col} (${reason}).`);
}

function toPlain(name: string, convert: () => unknown): unknown {
  try {
    return convert();
  } catch (cause) {
    throw new ConfigError(`${name} is not valid YAML (its aliases cannot be resolved).`, { cause });
  }
}

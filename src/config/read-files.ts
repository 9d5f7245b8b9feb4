// Reads spillway.yaml and .env. A missing file counts as empty, except the one named by `--config`. Only this file of
// the configuration touches the disk.

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError, showName, wrongValue } from './config-error.ts';
import type { Sources, TextFile } from './sources.ts';
import { sourcesFrom } from './sources.ts';

export type LoadInput = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The value of `--config`; the file must exist. Default: `spillway.yaml` in `cwd`, if it exists. */
  readonly configFile?: string | undefined;
};

export function readSources({ env, cwd, configFile }: LoadInput): Sources {
  const config = readText(resolve(cwd, configFile ?? 'spillway.yaml'));
  if (configFile !== undefined && !config)
    throw wrongValue('--config', showName(configFile), 'the path of a file that exists');
  const dotenv = readText(join(cwd, '.env'));
  return sourcesFrom({
    env,
    cwd,
    ...(config && { configFile: config }),
    ...(dotenv && { dotenvFile: dotenv }),
  });
}

function readText(path: string): TextFile | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return { path, text: readFileSync(path, 'utf8') };
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    throw new ConfigError(`${showName(path)} cannot be read (${code}).`, { cause });
  }
}

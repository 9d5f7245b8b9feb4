// Defaults < preset < spillway.yaml < .env < environment → one validated, deep-frozen record. The command line calls it once at
// start and passes the environment in. Throws ConfigError only.

import { resolve } from 'node:path';
import type { Config, Sections } from './config.ts';
import { deepFreeze } from './freeze.ts';
import { presetOf } from './presets.ts';
import type { ReadContext } from './providers/read-providers.ts';
import { readProviders } from './providers/read-providers.ts';
import type { LoadInput } from './read-files.ts';
import { readSources } from './read-files.ts';
import { readAliases, readModels } from './read-names.ts';
import type { Origins } from './read-rows.ts';
import { readRows, refuseUnknownKeys } from './read-rows.ts';
import { COMPAT_ROWS, type CompatMode } from './schema/compat.ts';
import { checkRules } from './schema/rules.ts';
import { SETTINGS } from './schema/settings.ts';
import { refuseMisspeltVariables } from './schema/variables.ts';
import { type Sources, sourcesFrom } from './sources.ts';

/** The sections of the file that map names to records. */
const NAMED_SECTIONS = ['providers', 'aliases', 'models'] as const;

export type LoadedConfig = {
  readonly config: Config;
  readonly origins: Origins;
  readonly sources: Sources;
};

export function loadConfig(input: LoadInput): Config {
  return loadWithOrigins(input).config;
}

/** Loads settings from an object instead of a file; the environment overrides them. Reads no file. */
export function loadSettings({
  settings,
  env,
  cwd,
}: Pick<LoadInput, 'env' | 'cwd'> & { readonly settings: object }): Config {
  return loadFrom({ ...sourcesFrom({ env, cwd }), fileName: 'settings', file: { ...settings } })
    .config;
}

/** For `spillway config`, which shows the source of each value. */
export function loadWithOrigins(input: LoadInput): LoadedConfig {
  return loadFrom(readSources(input));
}

export function loadFrom(sources: Sources): LoadedConfig {
  const context: ReadContext = { sources, origins: new Map() };
  const topKeys = [...Object.keys(COMPAT_ROWS), ...Object.keys(SETTINGS), ...NAMED_SECTIONS];
  refuseMisspeltVariables(sources.variableNames);
  refuseUnknownKeys({ path: '', sources }, sources.file, topKeys);
  const { compat } = readRows(COMPAT_ROWS, {
    ...context,
    path: '',
    given: { compat: sources.file['compat'] },
  });
  const config = deepFreeze(assemble(context, readSections(context, compat), compat));
  checkRules(config);
  return { config, origins: context.origins, sources };
}

function readSections({ sources, origins }: ReadContext, compat: CompatMode | undefined): Sections {
  const sections = Object.entries(SETTINGS).map(([path, rows]) => [
    path,
    readRows(rows, {
      sources,
      origins,
      path,
      given: sources.file[path],
      preset: presetOf(compat, path),
    }),
  ]);
  // `Object.fromEntries` loses the keys' types; each section was parsed by its own rows.
  return Object.fromEntries(sections) as Sections;
}

function assemble(
  context: ReadContext,
  sections: Sections,
  compat: CompatMode | undefined,
): Config {
  const { server, storage, dispatcher, cluster, upstream } = sections;
  const providers = readProviders(context, cluster.region);
  const withKey = Object.values(providers).filter((provider) => provider.hasKey);
  return {
    ...sections,
    compat,
    server: { ...server, isPortSet: context.origins.has('server.port') },
    storage: {
      ...storage,
      dataDir: resolve(context.sources.cwd, storage.dataDir),
      redisCaFile: storage.redisCaFile && resolve(context.sources.cwd, storage.redisCaFile),
    },
    upstream: {
      ...upstream,
      caFile: upstream.caFile && resolve(context.sources.cwd, upstream.caFile),
    },
    dispatcher: {
      ...dispatcher,
      // 0 means the exact delay, so that it can override the fixed delay of a preset.
      rateLimitDelayMs: dispatcher.rateLimitDelayMs || undefined,
      availableProviders: dispatcher.availableProviders ?? withKey.map(({ name }) => name),
    },
    providers,
    aliases: readAliases(context),
    models: readModels(context),
  };
}

// The effective configuration for `spillway config`: groups of masked values in .env syntax, each with its source.
// Pure; the command formats and prints it.

import type { Config, Source } from './config.ts';
import type { LoadedConfig } from './load-config.ts';
import { maskConfig } from './mask-config.ts';
import { describeProvider } from './providers/describe-provider.ts';
import { type Origins, pathOf } from './read-rows.ts';
import { COMPAT_ROWS } from './schema/compat.ts';
import type { DescribedGroup } from './schema/described-value.ts';
import { ALIAS_ROWS, MODEL_ROWS } from './schema/named-settings.ts';
import type { Rows, Setting } from './schema/setting.ts';
import { SECTION_ABOUT, SETTINGS } from './schema/settings.ts';

export function describeConfig({ config, origins }: LoadedConfig): readonly DescribedGroup[] {
  const { compat, ...masked } = maskConfig(config);
  return [
    describeGroup('', 'Settings outside a section.', COMPAT_ROWS, { compat }, origins),
    ...describeSections(masked, origins),
    ...Object.values(masked.providers).map((provider) => describeProvider(provider, origins)),
    ...Object.values(masked.aliases).map(({ name, targets, fallbacks, ...others }) => {
      const values = {
        ...others,
        targets: targets.map(({ provider, model }) => `${provider}/${model}`),
        fallbacks: fallbacks.map(({ provider, model }) => `${provider}/${model}`),
      };
      return describeGroup(`aliases.${name}`, 'An alias.', ALIAS_ROWS, values, origins);
    }),
    ...Object.entries(masked.models).map(([name, values]) =>
      describeGroup(`models.${name}`, 'Overrides for a model.', MODEL_ROWS, values, origins),
    ),
  ];
}

/** The source of every setting by its path, defaults included. */
export function sourcesByPath(groups: readonly DescribedGroup[]): Record<string, Source> {
  const pairs = groups.flatMap(({ path, values }) =>
    values.map(({ key, source }) => [pathOf(path, key), source] as const),
  );
  return Object.fromEntries(pairs);
}

function describeValue(row: Setting<unknown>, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const written = row.kind.write(value);
  const displayed = row.kind.display?.(value) ?? written;
  return displayed === written ? written : `${written} (${displayed})`;
}

function describeSections(masked: Omit<Config, 'compat'>, origins: Origins): DescribedGroup[] {
  const about: Readonly<Record<string, string>> = SECTION_ABOUT;
  const values: Readonly<Record<string, object>> = masked;
  return Object.entries(SETTINGS).map(([path, rows]) =>
    describeGroup(path, about[path] ?? '', rows, { ...values[path] }, origins),
  );
}

function describeGroup(
  path: string,
  about: string,
  rows: Rows,
  values: Readonly<Record<string, unknown>>,
  origins: Origins,
): DescribedGroup {
  const described = Object.entries(rows).map(([key, row]) => ({
    key,
    value: describeValue(row, values[key]),
    whenUnset: row.whenUnset,
    source: origins.get(pathOf(path, key)) ?? ('default' as const),
    variable: row.env,
  }));
  return { path, about, values: described };
}

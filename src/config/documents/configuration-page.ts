// Renders docs/configuration.md from the tables; a test keeps the file equal. The prose and the example are in
// configuration-prose.ts.

import { PRESETS } from '../presets.ts';
import { TIER_LIMITS } from '../providers/account-tiers.ts';
import { BUILT_IN_NAMES } from '../providers/built-in-providers.ts';
import { variableOf } from '../read-rows.ts';
import { COMPAT_ROWS } from '../schema/compat.ts';
import { ACCOUNT_ROWS, ALIAS_ROWS, MODEL_ROWS, PROVIDER_ROWS } from '../schema/named-settings.ts';
import type { Rows, Setting } from '../schema/setting.ts';
import { SECTION_ABOUT, SETTINGS } from '../schema/settings.ts';
import { COMPAT_PROSE, CONFIGURATION_HEAD, NAMED_PROSE } from './configuration-prose.ts';
import { builtInDefault, writtenDefault } from './env-example.ts';

export function renderConfigurationDoc(): string {
  const about: Readonly<Record<string, string>> = SECTION_ABOUT;
  const tables: Readonly<Record<string, Rows>> = SETTINGS;
  const sections = Object.entries(tables).map(([name, rows]) =>
    [`### ${name}`, about[name], settingsTable(rows)].join('\n\n'),
  );
  const named = [
    ['### providers', NAMED_PROSE.providers, builtInTable(), settingsTable(PROVIDER_ROWS)],
    ['### providers.*.accounts', NAMED_PROSE.accounts, settingsTable(ACCOUNT_ROWS), tierTable()],
    ['### aliases', NAMED_PROSE.aliases, settingsTable(ALIAS_ROWS)],
    ['### models', NAMED_PROSE.models, settingsTable(MODEL_ROWS)],
  ].map((parts) => parts.join('\n\n'));
  const compat = ['### compat', COMPAT_PROSE, settingsTable(COMPAT_ROWS), presetTable()].join(
    '\n\n',
  );
  return `${[CONFIGURATION_HEAD, '## Settings', compat, ...sections, ...named].join('\n\n')}\n`;
}

function presetTable(): string {
  const rows = Object.entries(PRESETS).flatMap(([mode, preset]) =>
    Object.entries(preset).flatMap(([section, values]) =>
      Object.entries(values).map(([key, value]) => [
        code(mode),
        code(`${section}.${key}`),
        code(String(value)),
      ]),
    ),
  );
  return table(['preset', 'setting', 'value'], rows);
}

function settingsTable(rows: Rows): string {
  return table(
    ['key in the file', 'variable', 'default', 'allowed', 'meaning'],
    Object.entries(rows).map(([key, row]) => [
      code(key),
      row.env === undefined ? '' : code(row.env),
      defaultOf(row),
      row.kind.allowed,
      row.about,
    ]),
  );
}

function defaultOf(row: Setting<unknown>): string {
  const written = writtenDefault(row);
  if (written === '') return row.whenUnset ?? 'none';
  const displayed = row.kind.display?.(row.default) ?? written;
  return displayed === written ? code(written) : `${code(written)} (${displayed})`;
}

function builtInTable(): string {
  const rows = Object.entries(PROVIDER_ROWS).filter(([, row]) => row.env !== undefined);
  return table(
    ['variable', 'default'],
    BUILT_IN_NAMES.flatMap((provider) =>
      rows.map(([key, row]) => {
        const written = builtInDefault(provider, key);
        return [code(variableOf(row, provider) ?? ''), written === '' ? 'none' : code(written)];
      }),
    ),
  );
}

function tierTable(): string {
  return table(
    ['tier', 'requests/min', 'tokens/min', 'tokens/day'],
    Object.entries(TIER_LIMITS).map(([tier, limits]) => [
      code(tier),
      number(limits.requestsPerMinute),
      number(limits.tokensPerMinute),
      number(limits.tokensPerDay),
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

function number(value: number | undefined): string {
  return value === undefined ? 'as configured' : value.toLocaleString('en');
}

// .env.example from the tables: every variable with its meaning and default, commented out, so that a copy of
// the file changes nothing until a line is uncommented. A test holds the file equal to this.

import { BUILT_IN_NAMES, BUILT_IN_PROVIDERS } from '../providers/built-in-providers.ts';
import { variableOf } from '../read-rows.ts';
import { PROVIDER_ROWS } from '../schema/named-settings.ts';
import type { Rows, Setting } from '../schema/setting.ts';
import { SECTION_ABOUT, SETTINGS } from '../schema/settings.ts';

const HEAD = `# Copy to .env and uncomment what you want to change. Made by \`node src/config/write-docs.ts\`.
# The environment wins over this file, this file over spillway.yaml. See docs/configuration.md.`;

export function renderEnvExample(): string {
  const about: Readonly<Record<string, string>> = SECTION_ABOUT;
  const tables: Readonly<Record<string, Rows>> = SETTINGS;
  const sections = Object.entries(tables).flatMap(([name, rows]) => {
    const lines = Object.values(rows).flatMap((row) => (row.env ? variable(row.env, row) : []));
    return lines.length === 0 ? [] : [`## ${name}: ${about[name]}`, ...lines];
  });
  return `${[HEAD, ...providers(), ...sections].join('\n\n')}\n`;
}

/** The default of a built-in provider's setting, where it has one; for documents. */
export function builtInDefault(provider: keyof typeof BUILT_IN_PROVIDERS, key: string): string {
  const { baseUrl, requestsPerMinute } = BUILT_IN_PROVIDERS[provider];
  const queue = `${provider}-analysis-queue`;
  const known: Readonly<Record<string, string | number>> = { baseUrl, requestsPerMinute, queue };
  return String(known[key] ?? '');
}

function providers(): string[] {
  return BUILT_IN_NAMES.flatMap((provider) => {
    const lines = Object.entries(PROVIDER_ROWS).flatMap(([key, row]) => {
      const name = variableOf(row, provider);
      return name ? entry(name, row.about, builtInDefault(provider, key)) : [];
    });
    return [`## providers.${provider}`, ...lines];
  });
}

function variable(name: string, row: Setting<unknown>): string {
  const unset = row.whenUnset === undefined ? '' : ` Not set: ${row.whenUnset}.`;
  return entry(name, `${row.about}${unset}`, writtenDefault(row));
}

function entry(name: string, about: string, value: string): string {
  return `# ${about}\n#${name}=${value}`;
}

/** Empty for what has no default and for empty lists and maps: an empty variable counts as not set. */
export function writtenDefault(row: Setting<unknown>): string {
  if (row.default === undefined || row.sameAs !== undefined) return '';
  const written = row.kind.write(row.default);
  return written === '{}' ? '' : written;
}

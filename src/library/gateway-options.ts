// The options of `createGateway`: settings as an object, or the sources that the command line reads. Nothing is read from the
// environment unless the program passes it.

import type { Config, Sections } from '../config/config.ts';
import { loadConfig, loadSettings } from '../config/load-config.ts';
import type { Role } from '../config/providers/simulator-stand-in.ts';
import type { CompatMode } from '../config/schema/compat.ts';
import { type Log, silentLog } from '../kernel/log.ts';

/**
 * The options of `createGateway`.
 *
 * @example
 * import type { GatewayOptions } from 'spillway';
 *
 * export const embedded: GatewayOptions = { settings: { storage: { dataDir: '/var/lib/shop/spillway' } } };
 * export const asCommandLine: GatewayOptions = { env: process.env, configFile: 'spillway.yaml' };
 */
export type GatewayOptions = {
  /** The settings of docs/configuration.md as an object, in place of `spillway.yaml`. */
  readonly settings?: GatewaySettings;
  /** The variables of docs/configuration.md, which win over settings and files; usually `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A file in place of `spillway.yaml`; relative to `cwd`. */
  readonly configFile?: string;
  /** The folder of `spillway.yaml`, `.env` and relative paths; by default the working folder. */
  readonly cwd?: string;
  /** `serve` (default): all roles in this process. */
  readonly role?: Role;
  /** Gets the log entries, in place of one JSON line each on stdout; `silent` drops them. */
  readonly log?: GatewayLog | 'silent';
};

/**
 * The settings, in the sections of `spillway.yaml`. Texts such as `30s` or `32MiB` are allowed where the file allows them.
 *
 * @example
 * import type { GatewaySettings } from 'spillway';
 *
 * export const settings: GatewaySettings = {
 *   server: { port: 0 },
 *   timeouts: { unaryMs: '30s' },
 *   aliases: { smart: { targets: ['anthropic/claude-sonnet-5-5', 'openai/gpt-5-mini'] } },
 * };
 */
export type GatewaySettings = {
  readonly [S in keyof Sections]?: { readonly [K in keyof Sections[S]]?: Sections[S][K] | string };
} & {
  readonly compat?: CompatMode;
  readonly providers?: NamedSettings;
  readonly aliases?: NamedSettings;
  readonly models?: NamedSettings;
};

type NamedSettings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * A destination of log entries.
 *
 * @example
 * import type { GatewayLog } from 'spillway';
 *
 * export const log: GatewayLog = {
 *   write: ({ level, message, metadata }) => console.error(level, message, metadata),
 * };
 */
export type GatewayLog = Pick<Log, 'write'> & Partial<Pick<Log, 'flush'>>;

/** Throws ConfigError: one sentence with the setting, its value and the allowed values. */
export function configOf(options: GatewayOptions): Config {
  const { settings, env, configFile, cwd = process.cwd() } = options;
  if (settings !== undefined && configFile !== undefined)
    throw new TypeError('createGateway: settings and configFile exclude each other.');
  const readsFiles = settings === undefined && (env !== undefined || configFile !== undefined);
  return readsFiles
    ? loadConfig({ env: env ?? {}, cwd, configFile })
    : loadSettings({ settings: settings ?? {}, env: env ?? {}, cwd });
}

export function logOf({ log }: GatewayOptions): Log | undefined {
  if (!log) return undefined;
  if (log === 'silent') return silentLog;
  return { write: (entry) => log.write(entry), flush: async () => log.flush?.() };
}

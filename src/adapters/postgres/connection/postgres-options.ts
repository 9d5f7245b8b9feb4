// Connection settings. The timeouts of PostgreSQL are set by a statement and not in the handshake, where a connection pooler
// refuses them. PostgreSQL's own statement timeout is shorter than the client's, so that a slow statement normally
// costs only itself; the client's timeout drops the connection of a server that does not answer at all.
// Parameters in the URL (application_name, sslmode, statement_timeout …) take precedence.

import { type ClientConfig, TypeOverrides } from 'pg';

const POSTGRES_DEFAULTS = Object.freeze({
  maxConnections: 10,
  connectTimeoutMs: 5000,
  statementTimeoutMs: 5000,
  queryTimeoutMs: 6000,
  /** A process frozen inside a transaction must not block other servers with its locks. */
  idleInTransactionTimeoutMs: 10_000,
  idleConnectionMs: 60_000,
  applicationName: 'spillway',
});

export type PostgresSettings = { readonly [K in keyof typeof POSTGRES_DEFAULTS]: Setting<K> };
type Setting<K extends keyof typeof POSTGRES_DEFAULTS> =
  (typeof POSTGRES_DEFAULTS)[K] extends number ? number : string;

export type PostgresOptions = Partial<PostgresSettings>;

export function settingsFrom(options: PostgresOptions): PostgresSettings {
  return { ...POSTGRES_DEFAULTS, ...options };
}

export function clientConfig(url: string, settings: PostgresSettings): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    application_name: settings.applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: rowTypes(),
  };
}

/** Parameters to set on each new connection; those in the URL are sent with the handshake. */
export function timeoutParameters(
  url: string,
  { statementTimeoutMs, idleInTransactionTimeoutMs }: PostgresSettings,
): Readonly<Record<string, number>> {
  const inUrl = URL.parse(url)?.searchParams;
  const parameters = {
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
  };
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !inUrl?.has(name)));
}

const INT8 = 20;
const NUMERIC = 1700;
const JSON_TEXT = 114;
const JSONB = 3802;

/** Rows as SQLite returns them: integers are numbers, JSON is text. The driver's global parsers are unchanged. */
function rowTypes(): TypeOverrides {
  const types = new TypeOverrides();
  for (const oid of [INT8, NUMERIC]) types.setTypeParser(oid, toNumberWhenExact);
  for (const oid of [JSON_TEXT, JSONB]) types.setTypeParser(oid, (text: string) => text);
  return types;
}

/** An unsafe integer stays text, and `toNumber` rejects it with its digits. */
function toNumberWhenExact(text: string): number | string {
  const number = Number(text);
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? text : number;
}

// How we connect: every wait has an end. The server is asked to give up a statement a little before we do, so that
// in the ordinary case the connection survives; only a server that does not answer at all costs it.
// What the URL itself says (application_name, sslmode, statement_timeout …) has the last word.

import { type ClientConfig, TypeOverrides } from 'pg';

export const POSTGRES_DEFAULTS = Object.freeze({
  maxConnections: 10,
  connectTimeoutMs: 5000,
  statementTimeoutMs: 5000,
  queryTimeoutMs: 6000,
  /** A process frozen in the midst of a transaction must not keep its locks from the others. */
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
    statement_timeout: settings.statementTimeoutMs,
    idle_in_transaction_session_timeout: settings.idleInTransactionTimeoutMs,
    application_name: settings.applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: rowTypes(),
  };
}

const INT8 = 20;
const NUMERIC = 1700;
const JSON_TEXT = 114;
const JSONB = 3802;

/** Rows as SQLite gives them: integers are numbers, JSON is text. Ours alone; the driver's own stay as they are. */
function rowTypes(): TypeOverrides {
  const types = new TypeOverrides();
  for (const oid of [INT8, NUMERIC]) types.setTypeParser(oid, toNumberWhenExact);
  for (const oid of [JSON_TEXT, JSONB]) types.setTypeParser(oid, (text: string) => text);
  return types;
}

/** What a number cannot hold stays text, and `toNumber` refuses it with its digits. */
function toNumberWhenExact(text: string): number | string {
  const number = Number(text);
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? text : number;
}

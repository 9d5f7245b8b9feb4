// Describes why a PostgreSQL cannot be used, as the predicate of a sentence for the operator. Undefined for any error
// that is not caused by the address, the account or the network: such an error is a defect and keeps its stack.

import { DatabaseError } from 'pg';

export function describeFailure(error: unknown): string | undefined {
  if (error instanceof DatabaseError)
    return refusedParameter(error.message) ?? BY_STATE[error.code ?? ''];
  const code = codeOf(error);
  if (code !== undefined && UNREACHABLE.has(code)) return `cannot be reached (${code})`;
  const message = error instanceof Error ? error.message : '';
  if (/timeout|did not answer|terminated/i.test(message)) return 'does not answer';
  if (/\bSSL\b|certificate|self-signed/i.test(message))
    return `refuses the connection (${message}); see sslmode in DATABASE_URL`;
  if (/SASL|password/i.test(message)) return BY_STATE['28P01'];
  return undefined;
}

/** PgBouncer refuses unknown parameters of the handshake; Spillway itself sends none that it does not know. */
function refusedParameter(message: string): string | undefined {
  const name = /unsupported startup parameter: (\w+)/.exec(message)?.[1];
  if (name === undefined) return undefined;
  return `is behind a PgBouncer that refuses the parameter ${name}; remove it from DATABASE_URL, or add it to ignore_startup_parameters of PgBouncer`;
}

/** Whether PostgreSQL is starting up or recovering after a crash, and accepts connections shortly. */
export function isStartingUp(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '57P03';
}

/** Host, port and database, without the credentials. */
export function addressOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname || 'localhost'}${port === '' ? '' : `:${port}`}${pathname}`;
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  'EACCES',
]);

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const BY_STATE: Readonly<Record<string, string>> = {
  '28P01': 'refuses the user or the password in DATABASE_URL',
  '28000': 'refuses the user in DATABASE_URL',
  '3D000': 'has no database of the name in DATABASE_URL; create it first',
  '42501': 'does not let the user in DATABASE_URL create or use the schema `spillway`; grant it',
  '53300': 'has no free connection; raise its max_connections or close others',
  '57P01': 'is being stopped',
  '57P02': 'is being restarted',
  '57P03': 'is starting up',
};

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

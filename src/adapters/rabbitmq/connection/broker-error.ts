// What the broker's refusals are called, read once here. The driver gives every reply code of AMQP a name.

/** The name of the reply code, or of the driver's own failure; undefined for anything else. */
export function brokerCode(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !('code' in cause)) return undefined;
  return typeof cause.code === 'string' ? cause.code : undefined;
}

export function isNotFound(cause: unknown): boolean {
  return brokerCode(cause) === 'NOT_FOUND';
}

/** Asking again would be answered the same: somebody has to change something first. */
export function isRefusal(cause: unknown): boolean {
  return REFUSALS.has(brokerCode(cause) ?? '');
}

/** For the log and for operators; it never holds the URL, which holds the password. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

const REFUSALS: ReadonlySet<string> = new Set([
  'ACCESS_REFUSED',
  'PRECONDITION_FAILED',
  'RESOURCE_LOCKED',
  'COMMAND_INVALID',
  'NOT_ALLOWED',
  'NOT_IMPLEMENTED',
]);

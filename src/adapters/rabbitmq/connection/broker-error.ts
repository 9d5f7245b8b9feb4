// Classifies the broker's failures by the driver's names for AMQP reply codes.

/** The name of the reply code or of a failure in the driver; undefined for any other error. */
export function brokerCode(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || !('code' in cause)) return undefined;
  return typeof cause.code === 'string' ? cause.code : undefined;
}

export function isNotFound(cause: unknown): boolean {
  return brokerCode(cause) === 'NOT_FOUND';
}

/** Retrying is pointless until an operator changes something. */
export function isRefusal(cause: unknown): boolean {
  return REFUSALS.has(brokerCode(cause) ?? '');
}

const REFUSALS: ReadonlySet<string> = new Set([
  'ACCESS_REFUSED',
  'PRECONDITION_FAILED',
  'RESOURCE_LOCKED',
  'COMMAND_INVALID',
  'NOT_ALLOWED',
  'NOT_IMPLEMENTED',
]);

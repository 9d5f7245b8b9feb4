// Failures of a Redis connection in words for operators.

/** The end of a sentence about a failure that needs a change of configuration; undefined for a transient failure. */
export function permanentFailure(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : '';
  if (message.startsWith(NO_SENTINEL)) return sentinelRefusal(message);
  if (/^(WRONGPASS|ERR invalid password|ERR AUTH|NOAUTH)/.test(message))
    return 'refuses the user or the password in REDIS_URL';
  if (message.startsWith('NOPERM'))
    return `denies the user in REDIS_URL a command that Spillway needs (${message})`;
  if (/^ERR (DB index|invalid DB)/.test(message))
    return 'has no database with the number in REDIS_URL';
  if (/certificate|self-signed|altname|wrong version number|packet length/i.test(message))
    return `refuses the connection (${message}); check redis:// and rediss:// in REDIS_URL`;
  return undefined;
}

/** The driver's message when no Sentinel gave an address; it ends with the answer of the last one. */
const NO_SENTINEL = 'All sentinels are unreachable';

function sentinelRefusal(message: string): string | undefined {
  if (/Last error: (WRONGPASS|NOAUTH|ERR AUTH)/.test(message))
    return 'has Sentinels that refuse sentinelUsername or sentinelPassword in REDIS_URL';
  if (/Last error: ERR No such master/.test(message))
    return 'has Sentinels that know no primary of the name in REDIS_URL';
  return undefined;
}

/** For a log entry: the code of a network failure, else the message. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return 'no connection';
  if ('code' in error && typeof error.code === 'string') return error.code;
  const [, sentinelError] = error.message.split('Last error: ');
  return permanentFailure(error) ?? sentinelError ?? error.message;
}

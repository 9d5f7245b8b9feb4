// Why a Redis cannot be used, in words for the operator who gave its address.

/** As the end of a sentence, for what waiting does not mend; undefined when it may yet come. */
export function whyRefused(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : '';
  if (/^(WRONGPASS|ERR invalid password|ERR AUTH|NOAUTH)/.test(message))
    return 'refuses the user or the password in REDIS_URL';
  if (message.startsWith('NOPERM'))
    return `does not let the user in REDIS_URL do what is needed (${message})`;
  if (/^ERR (DB index|invalid DB)/.test(message))
    return 'has no database of the number in REDIS_URL';
  if (/certificate|self-signed|altname|wrong version number|packet length/i.test(message))
    return `refuses the connection as it was asked for (${message}); see redis:// and rediss:// in REDIS_URL`;
  return undefined;
}

/** For a log line: the code of a network failure, else what was said. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it was not reached';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return whyRefused(error) ?? error.message;
}

/** Without the account, whose password is nobody's business. */
export function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  const database = pathname === '/' ? '' : pathname;
  return `${hostname || 'localhost'}${port === '' ? '' : `:${port}`}${database}`;
}

// What may be shown of a secret: at most its last four characters, and of a short one nothing, since four of
// eight would be half of it. Of an address the credentials are hidden and the rest stays readable.

const HIDDEN = '****';
const SHOWN_CHARACTERS = 4;
const MIN_SHOWN = 16;
const SECRET_PARAMETER = /pass|pwd|secret|token|key|cert/i;

export type Mask = (text: string) => string;

export const maskSecret: Mask = (text) =>
  text.length < MIN_SHOWN ? HIDDEN : `${HIDDEN}${text.slice(-SHOWN_CHARACTERS)}`;

/** For connection addresses: the password and anything like one in the query goes. */
export const maskAddress: Mask = (text) => {
  if (!/[@?=#]/.test(text)) return text;
  const url = parse(text);
  if (!url) return HIDDEN;
  const credentials = url.username === '' && url.password === '' ? '' : credentialsOf(url);
  return `${url.protocol}//${credentials}${url.host}${url.pathname}${maskQuery(url)}`;
};

/** For addresses that are secrets themselves, such as a Slack webhook: only the server's name stays. */
export const maskSecretAddress: Mask = (text) => {
  const url = parse(text);
  return url ? `${url.protocol}//${url.host}/${HIDDEN}` : HIDDEN;
};

/** Where a password is not where it belongs, it may be anywhere, so nothing of the text is shown. */
function parse(text: string): URL | undefined {
  const url = URL.parse(text);
  const isClear = url && url.host !== '' && !/@/.test(url.pathname + url.search + url.hash);
  return isClear ? url : undefined;
}

function credentialsOf(url: URL): string {
  return url.password === '' ? `${HIDDEN}@` : `${url.username}:${HIDDEN}@`;
}

function maskQuery(url: URL): string {
  const shown = [...url.searchParams].map(
    ([name, value]) => `${name}=${SECRET_PARAMETER.test(name) ? HIDDEN : value}`,
  );
  return shown.length === 0 ? '' : `?${shown.join('&')}`;
}

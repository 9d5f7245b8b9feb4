// Masks secrets for output: at most the last four characters stay visible, and none of a short secret, because four of
// eight would be half of it. A masked URL hides its credentials and stays readable otherwise.

import { parseHostList } from '../kernel/host-list.ts';

const HIDDEN = '****';
const SHOWN_CHARACTERS = 4;
const MIN_SHOWN = 16;
const SECRET_PARAMETER = /pass|pwd|secret|token|key|cert/i;

export type Mask = (text: string) => string;

export const maskSecret: Mask = (text) =>
  text.length < MIN_SHOWN ? HIDDEN : `${HIDDEN}${text.slice(-SHOWN_CHARACTERS)}`;

/** For connection URLs: hides the password and query parameters that may be secrets. */
export const maskAddress: Mask = (text) => {
  if (!/[@?=#]/.test(text)) return text;
  const parsed = parseHostList(text);
  if (!parsed || !isClear(parsed.url)) return HIDDEN;
  const { url, hosts } = parsed;
  const credentials = url.username === '' && url.password === '' ? '' : credentialsOf(url);
  return `${url.protocol}//${credentials}${hosts.join(',')}${url.pathname}${maskQuery(url)}`;
};

/** For URLs that are secrets as a whole, such as a Slack webhook: only the host stays visible. */
export const maskSecretAddress: Mask = (text) => {
  const url = parse(text);
  return url ? `${url.protocol}//${url.host}/${HIDDEN}` : HIDDEN;
};

function parse(text: string): URL | undefined {
  const url = URL.parse(text);
  return url && isClear(url) ? url : undefined;
}

/** In a malformed URL the password may be at any position, so the whole text is hidden. */
function isClear(url: URL): boolean {
  return url.host !== '' && !/@/.test(url.pathname + url.search + url.hash);
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

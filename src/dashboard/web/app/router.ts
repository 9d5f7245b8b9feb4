// The address of a page: `#/capacity?range=24h&provider=anthropic`. The hash holds the whole state of a page, so that a
// link to it shows the same page; the paths before the hash belong to the API.

import { computed, signal } from '@preact/signals';

export type Route = { readonly page: string; readonly params: Readonly<Record<string, string>> };

export function parseHash(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return { page: path || 'overview', params: Object.fromEntries(new URLSearchParams(query)) };
}

export function hashOf({ page, params }: Route): string {
  const filled = Object.entries(params).filter(([, value]) => value !== '');
  const query = new URLSearchParams(filled).toString();
  return `#/${page}${query === '' ? '' : `?${query}`}`;
}

const current = signal<Route>(parseHash(''));

/** The present route, as a signal: a component that reads it follows it. */
export const route = computed(() => current.value);

/** Follows the address bar; called once at the start. */
export function startRouter(): void {
  const read = (): void => {
    current.value = parseHash(window.location.hash);
  };
  window.addEventListener('hashchange', read);
  read();
}

/** The link to a page. The time range stays, because an operator follows one incident through several pages. */
export function linkTo(page: string, params: Readonly<Record<string, string>> = {}): string {
  const { range = '', from = '', to = '' } = current.value.params;
  return hashOf({ page, params: { range, from, to, ...params } });
}

export function navigate(page: string, params: Readonly<Record<string, string>> = {}): void {
  window.location.hash = linkTo(page, params);
}

/** Changes parameters of the present page; an empty value removes one. `replace` adds no entry to the history. */
export function setParams(changes: Readonly<Record<string, string>>, replace = false): void {
  const { page, params } = current.value;
  const hash = hashOf({ page, params: { ...params, ...changes } });
  if (!replace) {
    window.location.hash = hash;
    return;
  }
  window.history.replaceState(null, '', hash);
  current.value = parseHash(hash);
}

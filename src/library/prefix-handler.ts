// Serves the paths under a prefix, which is removed from the request's URL before the gateway sees it.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

const PREFIX = /^(?:\/[\w.~-]+)*$/;

/** Throws a RangeError for a prefix that no path can have. */
export function createPrefixHandler(handle: RequestListener, prefix = '') {
  const base = prefix.replace(/\/$/, '');
  if (!PREFIX.test(base))
    throw new RangeError(
      `The prefix must be a path such as /ai, but it is ${JSON.stringify(prefix)}.`,
    );
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const rest = restOf(request.url ?? '/', base);
    if (rest === undefined) return false;
    request.url = rest;
    handle(request, response);
    return true;
  };
}

function restOf(url: string, base: string): string | undefined {
  if (!url.startsWith(base)) return undefined;
  const rest = url.slice(base.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : undefined;
}

// The methods that each path accepts, for `allow` and for the choice between 404 and 405. Routes are added while the
// framework registers them; lookups happen only for requests that no route matches, so a linear search is enough.

import { matchNativeRoute } from '../../upstream/native-route.ts';

export type ServedMethods = {
  add(method: string | readonly string[], pattern: string): void;
  /** The accepted methods, `OPTIONS` among them; empty for a path without an endpoint. */
  at(path: string): readonly string[];
  /** Whether the path is at or below an endpoint of Spillway itself. */
  readonly isOwn: (path: string) => boolean;
};

type ServedPath = {
  readonly pattern: string;
  readonly matches: RegExp;
  readonly method: string;
};

/** `servesCalls`: false for a role that does not serve the AI endpoints. */
export function createServedMethods(servesCalls: boolean): ServedMethods {
  const served: ServedPath[] = [];
  const ownRoots = new Set<string>();

  function methodsOf(path: string): string[] {
    if (servesCalls && matchNativeRoute(path)) return ['POST'];
    // An unknown method of Google's API is not a model's name.
    if (CUSTOM_METHOD.test(path)) return [];
    const exact = served.filter(({ pattern }) => pattern === path);
    const found = exact.length > 0 ? exact : served.filter(({ matches }) => matches.test(path));
    return found.map(({ method }) => method);
  }

  return {
    add(method, pattern) {
      const matches = toExpression(pattern);
      for (const each of [method].flat()) served.push({ pattern, matches, method: each });
      if (!MODEL_ROUTE.test(pattern)) ownRoots.add(rootOf(pattern));
    },
    at(path) {
      const methods = [...new Set(methodsOf(path))];
      return methods.length === 0 ? [] : [...methods, 'OPTIONS'];
    },
    isOwn: (path) => ownRoots.has(rootOf(path)),
  };
}

/** Model lists have the formats of the vendors. */
const MODEL_ROUTE = /\/models(?:\/\*)?$/;
/** Names of models may also have a colon, but not in Google's API. */
const CUSTOM_METHOD = /^\/(?:gemini|v1beta|v1alpha)\/.*:\w+$|\/models\/[^:]+:[a-z]+[A-Z]\w*$/;

/** `/v1/jobs/:id` → `/v1/jobs`, `/admin/orgs` → `/admin`. */
function rootOf(path: string): string {
  const [, first = '', second] = path.split('/', 3);
  return first === 'v1' && second !== undefined ? `/v1/${second}` : `/${first}`;
}

function toExpression(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '[^/]+')
    .replace(/\*/g, '.*');
  return new RegExp(`^${source}$`);
}

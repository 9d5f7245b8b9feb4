// Corrects the paths that a slightly wrong base URL causes: repeated slashes, a trailing slash, a repeated version
// (`/v1/v1/messages` of a base URL that already ends in the version). The request is served under the corrected path,
// without a redirect. Only paths of the AI API change: `//admin` stays unserved, so that a rule of a reverse proxy about
// `/admin` cannot be bypassed. Escapes and dot segments are never resolved.

/** The path under which the request is matched; the same string if there is nothing to correct. */
export function canonicalPath(path: string): string {
  if (path.length > MAX_PATH_LENGTH) return path;
  const segments = path.split('/').filter((segment) => segment !== '');
  if (path[0] !== '/' || segments.some((segment) => DOTS.has(segment))) return path;
  const base = BASES.has(segments[0] ?? '') ? segments.shift() : undefined;
  let version: string | undefined;
  // The client appends its version to that of the base URL, so the last version counts.
  while (VERSIONS.has(segments[0] ?? '')) version = segments.shift();
  if (base === undefined && version === undefined && !BARE.has(segments[0] ?? '')) return path;
  const prefix = [base, version].filter((segment) => segment !== undefined);
  return `/${[...prefix, ...segments].join('/')}`;
}

const MAX_PATH_LENGTH = 2000;
const DOTS: ReadonlySet<string> = new Set(['.', '..']);
const BASES: ReadonlySet<string> = new Set(['anthropic', 'openai', 'gemini']);
const VERSIONS: ReadonlySet<string> = new Set(['v1', 'v1beta', 'v1alpha']);
/** The first segment of an endpoint that a client with a bare origin requests. */
const BARE: ReadonlySet<string> = new Set([
  'messages',
  'chat',
  'responses',
  'embeddings',
  'models',
]);

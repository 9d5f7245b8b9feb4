// The built pages in memory: every file of the build's folder with its compressed copies. They are read at the first
// request, all together, so that a later build cannot mix with the index page that a browser has. A missing folder is
// not an error: the next request looks again.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Encoding = 'br' | 'gzip' | 'identity';

export type Asset = {
  readonly contentType: string;
  readonly etag: string;
  readonly bytes: Readonly<Partial<Record<Encoding, Buffer>>> & { readonly identity: Buffer };
};

/** The asset at a path such as `assets/index-Bl6yV8Ud.js`; undefined if the build has none. */
export type FindAsset = (path: string) => Asset | undefined;

/** The folder of `scripts/build-dashboard.mjs`, seen from the sources and from the compiled code. */
const BUILT_FOLDER = join(import.meta.dirname, '..', '..', '..', 'dist', 'dashboard', 'web');

export function openAssets(folder: string = BUILT_FOLDER): FindAsset {
  let assets: ReadonlyMap<string, Asset> | undefined;
  return (path) => {
    assets ??= readAssets(folder);
    return assets?.get(path);
  };
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  png: 'image/png',
};

function readAssets(folder: string): ReadonlyMap<string, Asset> | undefined {
  const names = fileNames(folder);
  const found = names.flatMap((name): [string, Asset][] => {
    const contentType = CONTENT_TYPES[name.split('.').at(-1) ?? ''];
    if (contentType === undefined) return [];
    const identity = readFileSync(join(folder, name));
    const etag = `"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`;
    const bytes = {
      identity,
      ...(names.includes(`${name}.gz`) ? { gzip: readFileSync(join(folder, `${name}.gz`)) } : {}),
      ...(names.includes(`${name}.br`) ? { br: readFileSync(join(folder, `${name}.br`)) } : {}),
    };
    return [[name.replaceAll('\\', '/'), { contentType, etag, bytes }]];
  });
  return found.length === 0 ? undefined : new Map(found);
}

function fileNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
}

// The public entries of the package and the source file of each, as package.json declares them.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../../..');

export type PackageEntry = {
  /** As a program imports it: `spillway/errors`. */
  readonly specifier: string;
  /** The absolute path of the source file that is built to the entry. */
  readonly source: string;
};

export function packageEntries(): readonly PackageEntry[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { default: string }>;
  };
  return Object.entries(exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return [];
    const source = target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts');
    return [{ specifier: join('spillway', path), source: join(ROOT, source) }];
  });
}

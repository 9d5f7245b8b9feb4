// The Node version in package.json: a clone starts on Node 20, because it brings its own Node, while the published package
// runs on the Node of its user and needs 24.16. npm packs the file on disk, so `prepack` writes the version of the published
// package and `postpack` restores the version of the clone.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';

const ENGINES = { set: '>=24.16', restore: '>=20' };

const file = join(root, 'package.json');
const [action] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(file, 'utf8'));
manifest.engines.node = ENGINES[action] ?? ENGINES.restore;
writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);

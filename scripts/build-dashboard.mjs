// Builds the dashboard's pages (src/dashboard/web) to dist/dashboard/web: hashed assets, each with a gzip and a Brotli
// copy, so that the server compresses nothing. The build goes to a separate folder that replaces the previous one at
// the end, so that a server that starts during a build never serves half of it.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { root } from './bootstrap.mjs';
import {
  DASHBOARD_SOURCES,
  DASHBOARD_TARGET,
  dashboardDigest,
  STAMP,
} from './dashboard-digest.mjs';

const COMPRESSED = /\.(?:js|css|html|svg)$/;

const target = join(root, DASHBOARD_TARGET);
const digest = dashboardDigest();
const draft = `${target}.${process.pid}`;

try {
  await build({
    configFile: false,
    root: join(root, DASHBOARD_SOURCES),
    publicDir: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: draft,
      emptyOutDir: true,
      target: 'es2022',
      // The content security policy allows no inline script and no data: URL for one.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
  compress();
  writeFileSync(join(draft, STAMP), digest);
  mkdirSync(dirname(target), { recursive: true });
  rmSync(target, { recursive: true, force: true });
  renameSync(draft, target);
} finally {
  rmSync(draft, { recursive: true, force: true });
}

function compress() {
  for (const name of readdirSync(draft, { recursive: true, encoding: 'utf8' })) {
    if (!COMPRESSED.test(name)) continue;
    const bytes = readFileSync(join(draft, name));
    writeFileSync(join(draft, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
    writeFileSync(join(draft, `${name}.br`), brotliCompressSync(bytes, { params }));
  }
}

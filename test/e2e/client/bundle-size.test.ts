// The size of the browser client and the hooks as a bundler delivers them, and that unused parts are left out.

import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const MAX_CLIENT_BYTES = 5000;
const root = resolve(import.meta.dirname, '../../..');

async function bundle(code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: join(root, 'src') },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: ['react'],
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

function gzipped(text: string): number {
  return gzipSync(text, { level: 9 }).length;
}

test(`all of spillway/client is under ${MAX_CLIENT_BYTES} bytes gzipped and imports nothing`, async () => {
  const text = await bundle(`export * from './client/index.ts'`);
  assert.ok(gzipped(text) < MAX_CLIENT_BYTES, `${gzipped(text)} bytes`);
  assert.doesNotMatch(text, /\bimport\b|\brequire\(/);
});

test('a page that only shows errors carries no code for streams and jobs', async () => {
  const text = await bundle(
    `import { readFailure, countdown } from './client/index.ts'; globalThis.x = [readFailure, countdown];`,
  );
  assert.ok(gzipped(text) < 2200, `${gzipped(text)} bytes`);
  assert.doesNotMatch(text, /event-stream|last-event-id/);
});

test('spillway/react imports only react', async () => {
  const text = await bundle(`export * from './react/index.ts'`);
  assert.deepEqual(
    [...text.matchAll(/from"([^"]+)"/g)].map(([, name]) => name).filter((name) => name !== 'react'),
    [],
  );
  assert.ok(gzipped(text) < 6500, `${gzipped(text)} bytes`);
});

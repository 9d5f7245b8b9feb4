// Every program of examples/ runs as a user would run it, on the sources of this checkout, and prints what it promises.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, globSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { installPackages } from '../docs/script-folder.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

const EXPECTED: Readonly<Record<string, readonly RegExp[]>> = {
  'map-sdk-error.ts': [/^AI_LIMIT_REACHED \{ retryable: false, resetsIn: '60 min' \}$/m],
  'three-locales.ts': [/^en: .*9:30/m, /^tr: .*17[:.]30/m, /^ja: .*23:30/m],
  'retry-and-breaker.ts': [
    /^retry 2 after PROVIDER_UNAVAILABLE$/m,
    /^recovered after 3 requests; the circuit is closed$/m,
  ],
  'shared-limit.ts': [/^[ab] runs in second 0$/m, /^[cd] runs in second 1$/m],
  'durable-queue.ts': [/^order-4711: sent "Thank you" at delivery 2$/m],
  'own-server.ts': [/^the shop$/m, /^200 text$/m],
  'fastify-app.ts': [/^200 \{.*'default'.*\}$/m, /^429 AI_LIMIT_REACHED true$/m],
  'jobs-over-http.ts': [/^202 \/v1\/jobs\/order-4711$/m, /^succeeded$/m],
  'verify-callback.ts': [/^genuine: true$/m, /^changed body: false$/m, /^old: false$/m],
};

let folder: string;
before(() => {
  folder = makeTempFolder();
  installPackages(folder, ROOT);
});
after(() => rmSync(folder, { recursive: true, force: true }));

const programs = globSync('examples/*.ts', { cwd: ROOT }).map((path) => basename(path));

test('every program has an entry in the table of the README and an expectation here', () => {
  const readme = readFileSync(join(ROOT, 'examples/README.md'), 'utf8');
  const listed = [...readme.matchAll(/^\| \[([\w-]+\.ts)\]/gm)].map(([, name]) => name);
  assert.deepEqual(new Set(listed), new Set(programs));
  assert.deepEqual(new Set(Object.keys(EXPECTED)), new Set(programs));
});

for (const name of programs)
  test(`${name} runs to its end and prints what it promises`, async () => {
    copyFileSync(join(ROOT, 'examples', name), join(folder, name));
    const child = spawn(process.execPath, [name], {
      cwd: folder,
      // The programs create their data folders in TMPDIR.
      env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    const [code] = await once(child, 'close');
    assert.equal(code, 0, output);
    for (const pattern of EXPECTED[name] ?? []) assert.match(output, pattern);
  });

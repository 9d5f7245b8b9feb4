// The published package, packed once and installed elsewhere: it runs, each entry loads only what it needs, types resolve,
// and the checkers of packages find nothing.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import vm from 'node:vm';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import {
  installPacked,
  type PackedPackage,
  packOnce,
  ROOT,
  run,
  runScript,
} from './packed-package.ts';

let packed: PackedPackage;
let app: string;
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, unknown>;
};
const ENTRIES = Object.keys(manifest.exports)
  .filter((entry) => entry !== './package.json')
  .map((entry) => join('spillway', entry));

suite('the published package', { concurrency: 4 }, () => {
  before(async () => {
    packed = await packOnce();
    app = await installPacked(packed, [
      '@types/node',
      'undici-types',
      'react',
      '@types/react',
      'csstype',
      '@types/pg',
      'pg-protocol',
    ]);
  });

  test('the package has what it needs to run, and nothing else', (t) => {
    const paths = packed.files.map(({ path }) => path);
    t.diagnostic(
      `${packed.packedBytes} bytes packed, ${packed.unpackedBytes} unpacked, ${paths.length} files`,
    );
    for (const needed of [
      'bin/spillway.mjs',
      'dist/cli/main.js',
      'dist/library/index.d.ts',
      'locales/tr.json',
      'docs/errors.md',
      'LICENSE',
    ])
      assert.ok(paths.includes(needed), needed);
    assert.ok(
      paths.some((path) => /^dist\/dashboard\/.*\.html$/.test(path)),
      'the dashboard',
    );
    assert.ok(
      paths.some((path) => path.endsWith('.sql')),
      'the SQL functions',
    );
    const surplus = paths.filter((path) =>
      /\.test\.|\/fixtures\/|^(?:src|test|bench|chaos|scripts)\/|\.map$/.test(path),
    );
    assert.deepEqual(surplus, []);
    assert.ok(packed.packedBytes < 3_000_000, `${packed.packedBytes} bytes`);
  });

  test('npx spillway runs from the installed package and answers', async (t) => {
    const child = spawn(process.execPath, ['node_modules/.bin/spillway', 'serve', '--port', '0'], {
      cwd: app,
      env: { PATH: process.env['PATH'], HOME: app },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => new Promise((resolve) => child.once('close', resolve).kill('SIGTERM')));
    let output = '';
    const url = await new Promise<string>((resolve, reject) => {
      child.once('close', () => reject(new Error(output)));
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        const ready = /is ready on (\S+)/.exec(output)?.[1];
        if (ready !== undefined && output.includes('curl')) resolve(ready);
      });
    });
    const key = readFileSync(join(app, '.spillway', 'api-key'), 'utf8').trim();
    const messages = [{ role: 'user', content: 'Hello' }];
    const answer = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: JSON.stringify({ model: 'claude-sonnet-5-5', max_tokens: 20, messages }),
    });
    assert.equal(answer.status, 200);
    const page = await fetch(`${url}/`);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<html/i);
  });

  test('an older Node gets one sentence', () => {
    const { engines } = JSON.parse(
      readFileSync(join(app, 'node_modules/spillway/package.json'), 'utf8'),
    ) as { engines: { node: string } };
    assert.equal(engines.node, '>=24.16');
  });

  test('importing an entry loads no driver but its own', async () => {
    const expected: Record<string, readonly string[]> = {
      'spillway/errors': [],
      'spillway/resilience': [],
      'spillway/client': [],
      'spillway/react': ['react'],
      'spillway/adapters/memory': [],
      'spillway/adapters/redis': ['ioredis'],
      'spillway/adapters/postgres': ['pg', 'kysely'],
      'spillway/adapters/sqlite': ['kysely', 'node:sqlite'],
      'spillway/adapters/rabbitmq': ['rabbitmq-client'],
    };
    const [gateway, ...others] = await Promise.all(
      ['spillway', ...Object.keys(expected)].map(loadedBy),
    );
    const checked = Object.keys(expected).map((entry, index) => [entry, others[index]]);
    assert.deepEqual(Object.fromEntries(checked), expected);
    assert.deepEqual(
      gateway?.filter((driver) =>
        ['ioredis', 'pg', 'rabbitmq-client', 'commander', 'react'].includes(driver),
      ),
      [],
    );
  });

  test('errors and resilience run in a browser bundle', async (t) => {
    const text = await bundle(
      `export { mapProviderError, renderError } from 'spillway/errors'; export { retry } from 'spillway/resilience';`,
    );
    t.diagnostic(`${text.length} bytes minified`);
    // Globals of a browser, none of Node.
    const sandbox = vm.createContext({
      AbortController,
      setTimeout,
      clearTimeout,
      performance,
      result: undefined,
    });
    const program = `${text}
    const { code, params } = bundle.mapProviderError('Claude AI usage limit reached|1754636400');
    result = [code, bundle.renderError(code, params, { locale: 'de', now: 0 }), bundle.retry()(() => 'retried')];`;
    vm.runInContext(program, sandbox);
    const [code, sentence, retried] = sandbox['result'] as [string, string, Promise<string>];
    assert.equal(code, 'AI_LIMIT_REACHED');
    assert.match(sentence, /\p{L}/u);
    assert.equal(await retried, 'retried');
  });

  test('a bundle has only the exports that it uses', async () => {
    const timeoutOnly = await bundle(`export { timeout } from 'spillway/resilience';`);
    assert.doesNotMatch(timeoutOnly, /usage limit|half_open/);
    await bundle(`export * from 'spillway/client';`);
    await bundle(`export * from 'spillway/react';`, ['react']);
  });

  for (const [moduleResolution, module] of [
    ['node16', 'node16'],
    ['bundler', 'esnext'],
  ] as const)
    test(`the types of every entry resolve under ${moduleResolution}`, async () => {
      const imports = ENTRIES.map((entry, index) => `import * as entry${index} from '${entry}';`);
      const used = ENTRIES.map((_entry, index) => `entry${index}`);
      const program = `${imports.join('\n')}
      import { createGateway, type Gateway } from 'spillway';
      import { mapProviderError, type Verdict } from 'spillway/errors';
      export const verdict: Verdict = mapProviderError('');
      export const open: () => Promise<Gateway> = () => createGateway({ settings: { server: { port: 0 } } });
      // @ts-expect-error: the code is not any
      export const wrong: number = verdict.code;
      export const all: object[] = [${used.join(', ')}];`;
      const folder = join(app, moduleResolution);
      mkdirSync(folder);
      writeFileSync(join(folder, 'types.ts'), program);
      const compilerOptions = {
        module,
        moduleResolution,
        target: 'es2024',
        lib: ['esnext', 'dom'],
        types: ['node'],
        strict: true,
        noEmit: true,
        skipLibCheck: true,
      };
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, files: ['types.ts'] }),
      );
      await run(
        process.execPath,
        [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.'],
        folder,
      );
    });

  test('publint and attw find nothing', async () => {
    const { messages, pkg } = await publint({
      pkgDir: join(app, 'node_modules/spillway'),
      pack: false,
    });
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg)),
      [],
    );
    const attw = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js');
    await run(process.execPath, [attw, packed.tarball, '--profile', 'esm-only', '--no-emoji'], app);
  });
});

const DRIVERS = [
  'ioredis',
  'pg',
  'kysely',
  'rabbitmq-client',
  'undici',
  'fastify',
  'commander',
  'react',
  'node:sqlite',
  'node:http',
];

/** The drivers that importing the entry loads. */
async function loadedBy(entry: string): Promise<readonly string[]> {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({ load: (url, context, next) => (loaded.add(url), next(url, context)) });
    await import('${entry}');
    console.log(JSON.stringify([...loaded]));`;
  const urls = JSON.parse(await runScript(app, script)) as string[];
  const isOf = (driver: string) => (url: string) =>
    url === driver || url.includes(`/node_modules/${driver}/`);
  return DRIVERS.filter((driver) => urls.some(isOf(driver)));
}

async function bundle(source: string, external: string[] = []): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: app },
    bundle: true,
    write: false,
    minify: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'bundle',
    external,
  });
  return outputFiles[0]?.text ?? '';
}

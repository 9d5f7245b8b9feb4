// The rules of the source tree: which layer may import which, no import cycles, where the environment, exit, time and
// drivers may be used, the size of files and folders, and their place in ARCHITECTURE.md. The tests read the sources as text,
// so they need no build.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '..');
const sources = globSync(['src/**/*.ts', 'src/dashboard/web/**/*.tsx'], { cwd: root }).filter(
  (file) => !file.endsWith('.test.ts'),
);

type Import = { readonly from: string; readonly to: string; readonly isTypeOnly: boolean };

const FEATURES = [
  'admission',
  'routing',
  'upstream',
  'translation',
  'metering',
  'jobs',
  'events',
  'cluster',
  'orchestrator',
  'series',
  'alerts',
];

/** Layer (a folder of src) → the layers it may import. `~x` allows type imports only: the implementer of a port. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  kernel: [],
  errors: ['kernel'],
  resilience: ['kernel', 'errors'],
  config: ['kernel'],
  ...Object.fromEntries(FEATURES.map((feature) => [feature, ['kernel', 'errors', 'resilience']])),
  flow: ['kernel', 'errors', 'resilience', ...FEATURES],
  adapters: ['kernel', 'errors', 'resilience', ...FEATURES.map((feature) => `~${feature}`)],
  simulator: ['kernel'],
  http: ['kernel', 'errors', 'resilience', 'flow', ...FEATURES],
  // The pages in dashboard/web and the libraries for browsers are bundled: they see the server's types alone.
  dashboard: ['kernel', 'errors', 'resilience', 'http', ...FEATURES],
  client: ['~errors'],
  react: ['client'],
  app: [
    'kernel',
    'errors',
    'resilience',
    'config',
    'flow',
    'adapters',
    'http',
    'dashboard',
    'simulator',
    ...FEATURES,
  ],
  // The public entries of the package, besides those in errors, resilience, client and react.
  library: ['kernel', 'errors', 'resilience', 'config', 'adapters', 'http', 'app', ...FEATURES],
  cli: ['kernel', 'errors', 'config', 'app', 'simulator', 'http', ...FEATURES.map((f) => `~${f}`)],
};

/** A driver may be imported in its adapter's folder only. */
const DRIVER_FOLDERS: Record<string, RegExp> = {
  undici: /^src\/adapters\/undici\//,
  'node:sqlite': /^src\/adapters\/sqlite\//,
  kysely: /^src\/adapters\/(sql|sqlite|postgres)\//,
  pg: /^src\/adapters\/postgres\//,
  ioredis: /^src\/adapters\/redis\//,
  '@sentry/node': /^src\/adapters\/sentry\//,
  'rabbitmq-client': /^src\/adapters\/rabbitmq\//,
  fastify: /^src\/(http|app)\/|^src\/library\/fastify\.ts$/,
  commander: /^src\/cli\//,
  '@opentelemetry/api': /^src\/adapters\/telemetry\//,
  '@opentelemetry/sdk-trace': /^src\/adapters\/telemetry\//,
  '@opentelemetry/sdk-metrics': /^src\/adapters\/telemetry\//,
};

/** Data, looked up rather than read: fixtures, migrations, the table of settings, rules of the error mapping. */
const TABLES = /\/(fixtures|migrations)\/|\/(settings|rules)\.ts$/;
const MAX_FILE_LINES = 300;
const MAX_P90_LINES = 170;
const MAX_FOLDER_FILES = 24;

test('every layer imports only the layers below it', () => {
  const wrong = imports().filter(({ from, to, isTypeOnly }) => {
    const [fromLayer, toLayer] = [layerOf(from), layerOf(to)];
    if (fromLayer === toLayer) return false;
    const allowed = MAY_IMPORT[fromLayer] ?? [];
    return !(allowed.includes(toLayer) || (isTypeOnly && allowed.includes(`~${toLayer}`)));
  });
  assert.deepEqual(wrong, []);
});

test('an adapter imports another technology only from the SQL shared by both stores', () => {
  const wrong = imports().filter(({ from, to }) => {
    if (layerOf(from) !== 'adapters' || layerOf(to) !== 'adapters') return false;
    return technologyOf(from) !== technologyOf(to) && technologyOf(to) !== 'sql';
  });
  assert.deepEqual(wrong, []);
});

test('there is no import cycle, type imports included', () => {
  const graph = new Map<string, string[]>();
  for (const { from, to } of imports()) graph.set(from, [...(graph.get(from) ?? []), to]);
  assert.deepEqual(findCycle(graph), undefined);
});

test('a driver is imported only in its adapter folder', () => {
  const wrong: string[] = [];
  for (const file of sources) {
    for (const match of read(file).matchAll(/from '([^'.][^']*)'/g)) {
      const folder = DRIVER_FOLDERS[packageName(match[1] ?? '')];
      if (folder && !folder.test(file)) wrong.push(`${file} imports ${match[1]}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('process globals are used only in the files that own them', () => {
  const owners: [string, RegExp, RegExp][] = [
    ['the environment', /\bprocess\.env\b/, /^src\/cli\/main\.ts$/],
    ['exit', /\bprocess\.(exit|exitCode)\b/, /^src\/cli\//],
    [
      'the clock',
      /\b(Date\.now\(|new Date\(\)|Math\.random\(|performance\.now\()/,
      /^src\/(kernel\/clock\.ts|adapters\/|cli\/|(client|dashboard\/web\/app)\/browser-clock\.ts)/,
    ],
    [
      'a bare timer',
      // The timeout of a socket belongs to the socket.
      /\b(?<!socket\.)(setTimeout|setInterval)\(/,
      /^src\/(kernel\/clock\.ts|adapters\/|cli\/|(client|dashboard\/web\/app)\/browser-clock\.ts)/,
    ],
    ['the console', /\bconsole\.(log|info|warn|error|debug)\(/, /^src\/cli\//],
  ];
  const wrong: string[] = [];
  for (const file of sources) {
    const code = withoutComments(read(file));
    for (const [name, pattern, allowed] of owners) {
      if (pattern.test(code) && !allowed.test(file)) wrong.push(`${file} uses ${name}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('code for browsers uses no Node API', () => {
  const wrong = sources
    .filter((file) => /^src\/(errors|resilience|client|react|dashboard\/web)\//.test(file))
    .filter((file) => /from 'node:|\bBuffer\.|\bprocess\./.test(withoutComments(read(file))));
  assert.deepEqual(wrong, []);
});

test("the dashboard's pages import no code of the server, only types", () => {
  const isPage = (file: string) => file.startsWith('src/dashboard/web/');
  const wrong = imports().filter(
    ({ from, to, isTypeOnly }) => isPage(from) && !isPage(to) && !isTypeOnly,
  );
  assert.deepEqual(wrong, []);
});

test(`no file has more than ${MAX_FILE_LINES} lines, except tables`, () => {
  const long = lineCounts().filter(({ lines }) => lines > MAX_FILE_LINES);
  assert.deepEqual(
    long.filter(({ file }) => !TABLES.test(file)),
    [],
  );
});

test(`nine of ten files have at most ${MAX_P90_LINES} lines`, () => {
  const counts = lineCounts()
    .map(({ lines }) => lines)
    .sort((a, b) => a - b);
  const p90 = counts[Math.floor(counts.length * 0.9)] ?? 0;
  assert.ok(p90 <= MAX_P90_LINES, `the 90th percentile is ${p90} lines`);
});

test(`no folder has more than ${MAX_FOLDER_FILES} source files of its own`, () => {
  const files = globSync('{src,test,bench,chaos,clients}/**/*.ts', { cwd: root });
  const folders = Map.groupBy(
    files.filter((file) => !file.endsWith('.test.ts')),
    (file) => dirname(file),
  );
  const large = [...folders].filter(([, own]) => own.length > MAX_FOLDER_FILES);
  assert.deepEqual(
    large.map(([folder, own]) => `${folder}: ${own.length}`),
    [],
  );
});

test('every file name states a subject', () => {
  const vague = /(^|\/)(utils?|helpers?|common|types|misc|index)\.ts$/;
  assert.deepEqual(
    sources.filter((file) => vague.test(file) && !PUBLIC_ENTRIES.includes(file)),
    [],
  );
});

test('ARCHITECTURE.md names every folder of the sources and of the repository', () => {
  const [, tree = ''] = read('ARCHITECTURE.md').split('```');
  const folders = sources.flatMap((file) => dirname(file).split('/').slice(1, 3));
  const names = new Set([...folders, 'bench', 'bin', 'chaos', 'clients', 'deploy', 'examples']);
  for (const name of ['locales', 'scripts', 'test']) names.add(name);
  names.delete('fixtures');
  const missing = [...names].filter((name) => !new RegExp(`(?<!\\w)${name}(?!\\w)`).test(tree));
  assert.deepEqual(missing, []);
});

const PUBLIC_ENTRIES = ['errors', 'resilience', 'library', 'client', 'react'].map(
  (folder) => `src/${folder}/index.ts`,
);

function lineCounts(): readonly { readonly file: string; readonly lines: number }[] {
  return sources.map((file) => ({ file, lines: read(file).split('\n').length - 1 }));
}

function imports(): Import[] {
  const found: Import[] = [];
  for (const file of sources) {
    const statements = read(file).matchAll(/^(import|export)\s+([^;]*?)from\s+'(\.[^']+)'/gms);
    for (const [, , clause = '', specifier = ''] of statements) {
      const to = relative(root, join(root, dirname(file), specifier));
      if (!to.startsWith('src/')) continue;
      found.push({ from: file, to, isTypeOnly: isTypeOnlyClause(clause) });
    }
  }
  return found;
}

function isTypeOnlyClause(clause: string): boolean {
  if (/^type\s/.test(clause.trim())) return true;
  const names = /\{([^}]*)\}/
    .exec(clause)?.[1]
    ?.split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return names !== undefined && names.length > 0 && names.every((name) => name.startsWith('type '));
}

function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  function visit(file: string, path: readonly string[]): string[] | undefined {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...path, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  }
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}

function layerOf(file: string): string {
  return file.split('/')[1] ?? '';
}

function technologyOf(file: string): string {
  return file.split('/')[2] ?? '';
}

function packageName(specifier: string): string {
  const parts = specifier.split('/');
  return (specifier.startsWith('@') ? parts.slice(0, 2) : parts.slice(0, 1)).join('/');
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function withoutComments(code: string): string {
  return code.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '');
}

// Holds the plan of the house: which room may know which, no cycles, and one door each for environment,
// exit, time, drivers. It reads the sources as text, so it needs no build and no plugin.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '..');
const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));

type Import = { readonly from: string; readonly to: string; readonly isTypeOnly: boolean };

const FEATURES = ['admission', 'routing', 'upstream', 'metering', 'jobs', 'events'];

/** Room → the rooms it may import. `~x` allows types alone: a port's user or implementer. */
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
  app: [
    'kernel',
    'errors',
    'resilience',
    'config',
    'flow',
    'adapters',
    'http',
    'simulator',
    ...FEATURES,
  ],
  cli: ['kernel', 'errors', 'config', 'app', 'simulator', 'http', ...FEATURES.map((f) => `~${f}`)],
};

/** A driver is known in its adapter's folder and nowhere else. */
const DRIVER_HOMES: Record<string, RegExp> = {
  undici: /^src\/adapters\/undici\//,
  'node:sqlite': /^src\/adapters\/sqlite\//,
  kysely: /^src\/adapters\/(sql|sqlite|postgres)\//,
  pg: /^src\/adapters\/postgres\//,
  ioredis: /^src\/adapters\/redis\//,
  'rabbitmq-client': /^src\/adapters\/rabbitmq\//,
  fastify: /^src\/(http|app)\//,
  commander: /^src\/cli\//,
};

test('every room imports only the rooms below it', () => {
  const wrong = imports().filter(({ from, to, isTypeOnly }) => {
    const [fromRoom, toRoom] = [roomOf(from), roomOf(to)];
    if (fromRoom === toRoom) return false;
    const allowed = MAY_IMPORT[fromRoom] ?? [];
    return !(allowed.includes(toRoom) || (isTypeOnly && allowed.includes(`~${toRoom}`)));
  });
  assert.deepEqual(wrong, []);
});

test('no adapter imports another technology, but for the SQL both stores share', () => {
  const wrong = imports().filter(({ from, to }) => {
    if (roomOf(from) !== 'adapters' || roomOf(to) !== 'adapters') return false;
    return technologyOf(from) !== technologyOf(to) && technologyOf(to) !== 'sql';
  });
  assert.deepEqual(wrong, []);
});

test('there is no import cycle', () => {
  const graph = new Map<string, string[]>();
  for (const { from, to, isTypeOnly } of imports()) {
    if (!isTypeOnly) graph.set(from, [...(graph.get(from) ?? []), to]);
  }
  assert.deepEqual(findCycle(graph), undefined);
});

test('a driver is imported in its adapter folder alone', () => {
  const wrong: string[] = [];
  for (const file of sources) {
    for (const match of read(file).matchAll(/from '([^'.][^']*)'/g)) {
      const home = DRIVER_HOMES[packageName(match[1] ?? '')];
      if (home && !home.test(file)) wrong.push(`${file} imports ${match[1]}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('each door to the process is used where it belongs', () => {
  const doors: [string, RegExp, RegExp][] = [
    ['the environment', /\bprocess\.env\b/, /^src\/cli\/main\.ts$/],
    ['exit', /\bprocess\.(exit|exitCode)\b/, /^src\/cli\//],
    [
      'the clock',
      /\b(Date\.now\(|new Date\(\)|Math\.random\(|performance\.now\()/,
      /^src\/(kernel\/clock\.ts|adapters\/|cli\/)/,
    ],
    ['a bare timer', /\b(setTimeout|setInterval)\(/, /^src\/(kernel\/clock\.ts|adapters\/|cli\/)/],
    ['the console', /\bconsole\.(log|info|warn|error|debug)\(/, /^src\/cli\//],
  ];
  const wrong: string[] = [];
  for (const file of sources) {
    const code = withoutComments(read(file));
    for (const [name, pattern, home] of doors) {
      if (pattern.test(code) && !home.test(file)) wrong.push(`${file} uses ${name}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('what runs in a browser uses nothing of Node', () => {
  const wrong = sources
    .filter((file) => file.startsWith('src/errors/'))
    .filter((file) => /from 'node:|\bBuffer\.|\bprocess\./.test(withoutComments(read(file))));
  assert.deepEqual(wrong, []);
});

test('no file is longer than a person reads in one go', () => {
  const wrong = sources
    .map((file) => ({ file, lines: read(file).split('\n').length }))
    .filter(({ file, lines }) => lines > 301 && !isTable(file));
  assert.deepEqual(wrong, []);
});

test('no file is named after nothing', () => {
  const vague = /(^|\/)(utils?|helpers?|common|types|misc|index)\.ts$/;
  assert.deepEqual(
    sources.filter((file) => vague.test(file) && !PUBLIC_ENTRIES.includes(file)),
    [],
  );
});

const PUBLIC_ENTRIES = ['src/errors/index.ts'];

/** Tables of data may be long: they are looked up, not read. */
function isTable(file: string): boolean {
  return /\/(fixtures|migrations)\//.test(file) || /(settings|rules)\.ts$/.test(file);
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

function roomOf(file: string): string {
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

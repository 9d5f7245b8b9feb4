import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ConfigError } from '../config-error.ts';
import { MAX_PEER_FILE_BYTES, parsePeerFile } from './parse-peer-file.ts';
import { leavesOf } from './peer-node.ts';

function leaves(text: string): readonly (readonly [string, number, unknown])[] {
  return leavesOf(parsePeerFile('f.yaml', text)).map(({ path, line, scalar }) => [
    path,
    line,
    scalar,
  ]);
}

function refuses(text: string, message: RegExp): void {
  assert.throws(() => parsePeerFile('f.yaml', text), { name: 'ConfigError', message });
}

test('every value of YAML has its path and the line of its key', () => {
  assert.deepEqual(leaves('a:\n  b: 1\n  c:\n    - x\n    - { d: true }\ne.f: null\n'), [
    ['a.b', 2, 1],
    ['a.c[0]', 4, 'x'],
    ['a.c[1].d', 5, true],
    ['"e.f"', 6, null],
  ]);
});

test('JSON is read as well, with tabs and a byte order mark', () => {
  assert.deepEqual(leaves('\uFEFF{\n\t"a": {\n\t\t"b": ["x", 2.5]\n\t}\n}'), [
    ['a.b[0]', 3, 'x'],
    ['a.b[1]', 3, 2.5],
  ]);
});

test('anchors and merge keys are resolved, and a key of the map itself wins', () => {
  const text = 'base: &b { rpm: 1, tpm: 2 }\none: { <<: *b, rpm: 9 }\ntwo: *b\n';
  assert.deepEqual(
    leaves(text).map(([path, , value]) => [path, value]),
    [
      ['base.rpm', 1],
      ['base.tpm', 2],
      ['one.rpm', 9],
      ['one.tpm', 2],
      ['two.rpm', 1],
      ['two.tpm', 2],
    ],
  );
});

test('an anchor that contains itself is refused', () => {
  refuses('a: &x { b: *x }', /has an anchor that contains itself \(a\.b\)/);
  refuses('a: &x [1, [*x]]', /contains itself/);
});

test('anchors that multiply are refused before they fill the memory', () => {
  const levels = Array.from(
    { length: 12 },
    (_, level) =>
      `l${level}: &l${level} [${Array(10)
        .fill(level === 0 ? 'x' : `*l${level - 1}`)
        .join(', ')}]`,
  );
  refuses(levels.join('\n'), /too many values/);
});

test('deep nesting and large files are refused', () => {
  refuses(`a: ${'['.repeat(80)}1${']'.repeat(80)}`, /nested too deeply/);
  refuses('x'.repeat(MAX_PEER_FILE_BYTES + 1), /larger than 8 MiB/);
});

test('a text that is neither YAML nor JSON is refused without its content', () => {
  assert.throws(
    () => parsePeerFile('f.yaml', 'key: "sk-secret'),
    (error: unknown) => error instanceof ConfigError && !error.message.includes('sk-secret'),
  );
  refuses('{ "a": 1, "a": 2 }', /has the same key twice: line 1, column \d+/);
  refuses('- a\n- b', /does not contain a map of settings/);
  refuses('', /does not contain a map/);
});

test('arbitrary text is parsed or refused with a ConfigError', () => {
  const text = fc.oneof(fc.string(), fc.json(), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(text, (given) => {
      try {
        parsePeerFile('f.yaml', given);
      } catch (error) {
        assert.ok(error instanceof ConfigError, String(error));
      }
    }),
  );
});

// Properties of every peer's import: each documented key has a finding, secrets stay in the peer's file, and the result
// loads.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ConfigError } from '../config-error.ts';
import { type ImportResult, importPeer } from './import-peer.ts';
import { parsePeerFile } from './parse-peer-file.ts';
import { leavesOf } from './peer-node.ts';
import { PEERS, type Peer } from './peers.ts';

function fixture(name: string): string {
  return readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8');
}

function run(peer: Peer, name: string): ImportResult {
  return importPeer({ peer, fileName: name, text: fixture(name) });
}

const FIXTURES: readonly (readonly [Peer, string])[] = [
  ['litellm', 'litellm.yaml'],
  ['litellm', 'litellm-all-keys.yaml'],
  ['portkey', 'portkey.json'],
  ['portkey', 'portkey-all-keys.json'],
  ['bifrost', 'bifrost.json'],
  ['bifrost', 'bifrost-all-keys.json'],
];

test('every documented key of every peer is known, and a rule reads it', () => {
  for (const [peer, name] of FIXTURES.filter(([, file]) => file.includes('all-keys'))) {
    const { findings } = run(peer, name);
    const wrong = findings.filter(
      ({ status, reason = '' }) => status === 'unknown' || reason.startsWith('no rule'),
    );
    assert.deepEqual(wrong, [], name);
    assert.ok(findings.length > 150, `${name} has ${findings.length} findings`);
  }
});

test('every value of a file has exactly one finding, on it or on a map around it', () => {
  for (const [peer, name] of FIXTURES) {
    const paths = run(peer, name).findings.map(({ path }) => path);
    assert.equal(new Set(paths).size, paths.length);
    for (const { path } of leavesOf(parsePeerFile(name, fixture(name)))) {
      const isCovered = paths.some(
        (each) => path === each || path.startsWith(`${each}.`) || path.startsWith(`${each}[`),
      );
      assert.ok(isCovered, `${name}: ${path}`);
    }
  }
});

test('a left-out or changed value has a reason, a taken value has a place', () => {
  for (const [peer, name] of FIXTURES)
    for (const finding of run(peer, name).findings) {
      if (finding.status !== 'taken') assert.ok(finding.reason, `${name}: ${finding.path}`);
      if (finding.status === 'taken' || finding.status === 'changed')
        assert.ok(finding.to, `${name}: ${finding.path}`);
    }
});

test('a secret of the file is in no part of the result, and its finding says so', () => {
  for (const [peer, name] of FIXTURES) {
    const { config: _config, ...result } = run(peer, name);
    assert.doesNotMatch(JSON.stringify(result), /literal-|some-(other-)?key|sk-bf|sk-1234/i, name);
  }
  const { findings, variables } = run('litellm', 'litellm.yaml');
  const key = findings.find(({ path }) => path === 'model_list[2].litellm_params.api_key');
  assert.deepEqual([key?.status, key?.to], ['changed', 'the variable ANTHROPIC_API_KEY']);
  assert.deepEqual(variables.find(({ name }) => name === 'ANTHROPIC_API_KEY')?.source, 'literal');
});

test('an unknown key is reported with the nearest known one', () => {
  const cases: readonly (readonly [Peer, string, string])[] = [
    ['litellm', 'litellm_settings: { num_retriess: 2 }', 'num_retries'],
    ['portkey', '{ "provider": "openai", "api_keyy": "k" }', 'api_key'],
    ['bifrost', '{ "providers": { "openai": { "netwrk_config": {} } } }', 'network_config'],
  ];
  for (const [peer, text, known] of cases) {
    const { findings } = importPeer({ peer, fileName: 'f', text });
    const unknown = findings.filter(({ status }) => status === 'unknown');
    assert.deepEqual(
      unknown.map(({ reason }) => reason),
      [`not a documented key; the nearest one is ${known}`],
    );
  }
});

test('a value of the wrong type is refused with its path and line', () => {
  const cases: readonly (readonly [Peer, string, RegExp])[] = [
    ['litellm', 'model_list: 3', /^model_list \(line 1\) is a number, but it must be a list\.$/],
    [
      'litellm',
      'model_list:\n  - model_name: x\n    litellm_params: { model: openai/x, rpm: many }',
      /^model_list\[0\]\.litellm_params\.rpm \(line 3\) is a text, but .* a number of 0 or more/,
    ],
    ['portkey', '{ "targets": {} }', /^targets \(line 1\) is a map, but it must be a list\.$/],
    ['bifrost', '{ "providers": [] }', /^providers \(line 1\) is a list, but it must be a map/],
  ];
  for (const [peer, text, message] of cases)
    assert.throws(() => importPeer({ peer, fileName: 'f', text }), {
      name: 'ConfigError',
      message,
    });
});

test('arbitrary values in place of any part are imported or refused with a ConfigError', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const keys =
    'model_list litellm_settings router_settings general_settings credential_list targets strategy provider retry ' +
    'configs api_keys virtual_keys integrations providers governance client plugins keys fallbacks budgets';
  const document = fc.dictionary(fc.constantFrom(...keys.split(' ')), value);
  fc.assert(
    fc.property(fc.constantFrom(...PEERS), document, (peer, given) => {
      try {
        importPeer({ peer, fileName: 'f', text: JSON.stringify(given) });
      } catch (error) {
        assert.ok(error instanceof ConfigError, String(error));
      }
    }),
    { numRuns: 300 },
  );
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { InvalidInput } from '../invalid-input.ts';
import { hashCredential } from '../truth/digest.ts';
import { PRESETS } from './presets.ts';
import { parseScenario, parseScenarioHeader, RAW_FAULTS, STATED_FAULTS } from './scenario.ts';

test('every preset is a valid scenario', () => {
  for (const preset of Object.keys(PRESETS)) assert.equal(parseScenario({ preset }).preset, preset);
});

test('every fault is reachable through a preset', () => {
  const reached = new Set(Object.keys(PRESETS).map((preset) => parseScenario({ preset }).fault));
  for (const fault of [...STATED_FAULTS, ...RAW_FAULTS]) assert.ok(reached.has(fault), fault);
});

test('fields override the preset', () => {
  const scenario = parseScenario({ preset: 'usage-limit', resetInSeconds: 600 });
  assert.equal(scenario.fault, 'usage-limit');
  assert.equal(scenario.resetInSeconds, 600);
});

test('`count` is an alias of `times`', () => {
  assert.equal(parseScenario({ preset: 'hang', count: 3 }).times, 3);
  assert.throws(() => parseScenario({ count: 'often' }), /times/);
});

test('the key of a scenario is stored only as a hash', () => {
  const scenario = parseScenario({ key: 'sk-very-secret' });
  assert.equal(scenario.keyHash, hashCredential('sk-very-secret'));
  assert.ok(!JSON.stringify(scenario).includes('very-secret'));
});

const WRONG: readonly (readonly [unknown, RegExp])[] = [
  [{ latencyMs: 'soon' }, /latencyMs/],
  [{ latencyMs: -1 }, /latencyMs/],
  [{ fault: 'gremlins' }, /fault/],
  [{ preset: 'gremlins' }, /no preset "gremlins".*healthy/],
  [{ preset: 'toString' }, /no preset "toString"/],
  [{ sequence: [{ preset: 'gremlins' }] }, /no preset "gremlins"/],
  [{ sequence: [{ latencyMs: 'soon' }] }, /sequence\.0\.latencyMs/],
  [{ sequence: [{ sequence: [{}] }] }, /sequence/],
  [{ errorRates: { teapot: 1 } }, /errorRates/],
  [{ rateLimit: {} }, /requestsPerMinute or tokensPerMinute/],
  [{ secret: 'two\r\nlines' }, /secret/],
  [{ unknownField: 1 }, /unknownField/],
  ['overloaded', /whole/],
  [null, /whole/],
];

for (const [input, sentence] of WRONG)
  test(`${JSON.stringify(input)} is rejected with a message that says why`, () => {
    assert.throws(
      () => parseScenario(input),
      (failure) => {
        assert.ok(failure instanceof InvalidInput);
        assert.match(failure.message, sentence);
        return true;
      },
    );
  });

test('a header names a preset or holds a scenario, for one request', () => {
  assert.equal(parseScenarioHeader(' hang ').fault, 'hang');
  assert.equal(parseScenarioHeader('{"latencyMs":5}').latencyMs, 5);
  assert.throws(() => parseScenarioHeader('{"latencyMs":'), /not valid JSON/);
  assert.throws(() => parseScenarioHeader('{"times":2}'), /one request/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  accountCircuit,
  type CircuitKey,
  circuitId,
  circuitLabel,
  isSameCircuit,
  organizationCircuit,
  parseCircuitLabel,
  regionLabel,
  withModel,
} from './circuit-key.ts';

const BASE: CircuitKey = { provider: 'anthropic', region: 'us-east' };

test('a label names region, account and model, as Redis keys and the admin API show them', () => {
  assert.equal(circuitLabel(BASE), 'us-east');
  assert.equal(circuitLabel({ ...BASE, account: 'default' }), 'us-east');
  assert.equal(circuitLabel({ ...BASE, account: 'second' }), 'us-east/second');
  assert.equal(circuitLabel({ ...BASE, model: 'm' }), 'us-east:m');
  assert.equal(circuitLabel({ ...BASE, account: 'second', model: 'm' }), 'us-east/second:m');
  assert.equal(regionLabel({ ...BASE, account: 'second', model: 'm' }), 'us-east/second');
  assert.equal(circuitId({ ...BASE, account: 'second', model: 'm' }), 'anthropic:us-east/second:m');
});

test('the circuit of an organisation has its own label, which parses back', () => {
  const own = organizationCircuit({ ...BASE, account: 'second', model: 'm' }, 'org:1/x@y');
  assert.equal(circuitLabel(own), 'us-east/second@org%3A1%2Fx%40y');
  assert.deepEqual(parseCircuitLabel('anthropic', circuitLabel(own)), own);
  assert.ok(!isSameCircuit(own, { ...BASE, account: 'second' }));
});

test('the default account has the circuit of its region', () => {
  assert.deepEqual(accountCircuit({ ...BASE, account: 'default', model: 'm' }), BASE);
  const second = { ...BASE, account: 'second' };
  assert.deepEqual(accountCircuit({ ...second, model: 'm' }), second);
  assert.ok(isSameCircuit({ ...BASE, account: 'default' }, BASE));
  assert.ok(!isSameCircuit(second, BASE));
});

test('a label parses back to its key, whatever characters the model has', () => {
  const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,64}$/);
  const key = fc.record(
    { provider: name, region: name, account: name, model: fc.string({ minLength: 1 }) },
    { requiredKeys: ['provider', 'region'] },
  );
  fc.assert(
    fc.property(key, (each) => {
      const parsed = parseCircuitLabel(each.provider, circuitLabel(each));
      assert.deepEqual(parsed, withModel(accountCircuit(each), each.model));
    }),
  );
});

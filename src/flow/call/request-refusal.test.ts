import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NameTable } from '../../upstream/json/name-table.ts';
import { peekFields } from '../../upstream/json/peek-fields.ts';
import { modelRefusal, unpricedModel, unreadableBody } from './request-refusal.ts';

function refusalOf(text: string) {
  const body = Buffer.from(text);
  const peeked = peekFields(body, new NameTable(['model']));
  assert.ok(!peeked.ok);
  return unreadableBody(peeked, body).params;
}

test('a JSON error is located by line and column', () => {
  assert.deepEqual(refusalOf('{"model":"m",}'), { problem: 'malformed_json', line: 1, column: 14 });
  assert.deepEqual(refusalOf('{\n  "model": "m"\n  "x": 1\n}'), {
    problem: 'malformed_json',
    line: 3,
    column: 3,
  });
});

test('a truncated body breaks at its end', () => {
  assert.deepEqual(refusalOf('{"model":"m"'), { problem: 'malformed_json', line: 1, column: 13 });
});

test('an empty body, a body that is not an object and a repeated field have different problems', () => {
  assert.deepEqual(refusalOf(''), { problem: 'empty_body' });
  assert.deepEqual(refusalOf('[]'), {});
  assert.deepEqual(refusalOf('{"model":"a","model":"b"}'), {
    field: 'model',
    problem: 'duplicate_field',
  });
});

test('a break beyond the searched part has no position', () => {
  assert.deepEqual(refusalOf(`{"x":"${' '.repeat(1_100_000)}`), {});
});

test('a refused model says why it is refused, and where it is served', () => {
  assert.deepEqual(modelRefusal({ outcome: 'unknown_model' }, 'claude-9').params, {
    field: 'model',
    problem: 'unknown_model',
    model: 'claude-9',
  });
  assert.deepEqual(modelRefusal({ outcome: 'other_format', format: 'gemini' }, 'g').params, {
    field: 'model',
    problem: 'other_format',
    model: 'g',
    endpoint: '/v1beta/models/{model}:generateContent',
  });
  assert.equal(
    modelRefusal({ outcome: 'no_key', provider: 'x' }, 'm').params.problem,
    'no_credential',
  );
  assert.equal(unpricedModel('m').params.problem, 'unpriced_model');
});

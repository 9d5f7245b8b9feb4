// A flag of the wrong type is refused before the call: a provider that takes `1` for true answers in an unexpected form.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpillwayError } from '../../errors/spillway-error.ts';
import { readFields, readFlag } from './read-request.ts';

const KINDS = [
  { format: 'anthropic', operation: 'messages' },
  { format: 'anthropic', operation: 'count_tokens' },
  { format: 'openai', operation: 'chat' },
  { format: 'openai', operation: 'responses' },
  { format: 'openai', operation: 'embeddings' },
  { format: 'gemini', operation: 'generate' },
] as const;

function flag(kind: (typeof KINDS)[number], name: 'stream' | 'background', value: string): boolean {
  const body = Buffer.from(`{"model":"m","${name}":${value}}`);
  return readFlag(body, readFields(kind, body), name);
}

for (const kind of KINDS)
  for (const value of ['1', '0', '"true"', '"false"', '[]', '{}', '[true]', '1e0', '""'])
    test(`${kind.operation}: stream ${value} is INVALID_REQUEST and names the field`, () => {
      assert.throws(
        () => flag(kind, 'stream', value),
        (error) =>
          error instanceof SpillwayError &&
          error.code === 'INVALID_REQUEST' &&
          error.params.field === 'stream' &&
          error.params.problem === 'wrong_type',
      );
    });

test('true and false are read, and null counts as absent', () => {
  for (const kind of KINDS)
    assert.deepEqual(
      ['true', 'false', 'null'].map((value) => flag(kind, 'stream', value)),
      [true, false, false],
    );
});

test('a background flag of the wrong type names its field', () => {
  const kind = { format: 'openai', operation: 'responses' } as const;
  assert.throws(() => flag(kind, 'background', '1'), {
    params: { field: 'background', problem: 'wrong_type' },
  });
  assert.equal(flag(kind, 'background', 'true'), true);
});

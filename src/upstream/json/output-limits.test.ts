import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NameTable } from './name-table.ts';
import {
  type LimitProblem,
  limitFields,
  type RequestKind,
  readLimits,
  type StatedLimits,
} from './output-limits.ts';
import { peekFields } from './peek-fields.ts';

const KINDS = {
  messages: { format: 'anthropic', operation: 'messages' },
  chat: { format: 'openai', operation: 'chat' },
  responses: { format: 'openai', operation: 'responses' },
  generate: { format: 'gemini', operation: 'generate' },
} as const satisfies Record<string, RequestKind>;

type Endpoint = keyof typeof KINDS;

function limits(endpoint: Endpoint, request: unknown): StatedLimits | LimitProblem {
  const kind = KINDS[endpoint];
  const body = Buffer.from(typeof request === 'string' ? request : JSON.stringify(request));
  const peeked = peekFields(body, new NameTable(limitFields(kind.operation)), true);
  assert.ok(peeked.ok);
  return readLimits(kind, body, peeked.fields);
}

function output(endpoint: Endpoint, request: unknown): [number | undefined, number] | string {
  const stated = limits(endpoint, request);
  return 'problem' in stated ? stated.problem : [stated.maxOutputTokens, stated.answers];
}

test('the output limit is read from the fields of each format', () => {
  assert.deepEqual(output('messages', { max_tokens: 1024 }), [1024, 1]);
  assert.deepEqual(output('chat', { max_tokens: 100 }), [100, 1]);
  assert.deepEqual(output('chat', { max_completion_tokens: 200, n: 3 }), [200, 3]);
  assert.deepEqual(output('responses', { max_output_tokens: 300 }), [300, 1]);
  assert.deepEqual(
    output('generate', { generationConfig: { maxOutputTokens: 400, candidateCount: 2 } }),
    [400, 2],
  );
  assert.deepEqual(
    output('generate', { generation_config: { max_output_tokens: 500, candidate_count: 4 } }),
    [500, 4],
  );
});

test("only the operation's own fields count", () => {
  assert.deepEqual(output('chat', { max_output_tokens: 1 }), [undefined, 1]);
  assert.deepEqual(output('responses', { max_tokens: 1, max_completion_tokens: 1, n: 9 }), [
    undefined,
    1,
  ]);
  assert.deepEqual(output('messages', { max_output_tokens: 1, n: 9 }), [undefined, 1]);
  assert.deepEqual(output('generate', { max_tokens: 1, maxOutputTokens: 1 }), [undefined, 1]);
});

test('a maximum of 0 states none', () => {
  assert.deepEqual(output('messages', { max_tokens: 0 }), [undefined, 1]);
  assert.deepEqual(output('chat', { max_tokens: 0, max_completion_tokens: 7 }), [7, 1]);
  assert.deepEqual(output('generate', { generationConfig: { maxOutputTokens: 0 } }), [
    undefined,
    1,
  ]);
});

test('a missing or null limit is undefined', () => {
  assert.deepEqual(output('chat', {}), [undefined, 1]);
  assert.deepEqual(output('chat', { max_tokens: null, n: null }), [undefined, 1]);
  assert.deepEqual(output('generate', { generationConfig: null }), [undefined, 1]);
  assert.deepEqual(output('generate', { generationConfig: { temperature: 1 } }), [undefined, 1]);
  assert.deepEqual(output('chat', { metadata: { max_tokens: 5 } }), [undefined, 1]);
});

test('the largest of several maxima counts', () => {
  assert.deepEqual(output('chat', { max_tokens: 1, max_completion_tokens: 9000 }), [9000, 1]);
});

test('a budget of thinking beyond the maximum comes on top of it', () => {
  const most = (thinking: unknown) => output('messages', { max_tokens: 1000, thinking });
  assert.deepEqual(most({ type: 'enabled', budget_tokens: 999 }), [1000, 1]);
  assert.deepEqual(most({ type: 'enabled', budget_tokens: 60_000 }), [61_000, 1]);
  assert.deepEqual(most({ type: 'enabled', budget_tokens: '60000' }), [61_000, 1]);
  for (const none of [null, { type: 'adaptive' }, { type: 'enabled', budget_tokens: null }])
    assert.deepEqual(most(none), [1000, 1]);
  assert.equal(most({ budget_tokens: 1.5 }), 'thinking.budget_tokens');
  const twice = '{"max_tokens":9,"thinking":{"budget_tokens":1,"budget_tokens":60000}}';
  assert.equal(output('messages', twice), 'thinking.budget_tokens');
});

test('a limit under both of its names is a problem', () => {
  for (const [request, problem] of [
    [{ generationConfig: { maxOutputTokens: 1 }, generation_config: {} }, 'generation_config'],
    [{ generationConfig: null, generation_config: { maxOutputTokens: 1 } }, 'generation_config'],
    [
      { generationConfig: { maxOutputTokens: 1, max_output_tokens: null } },
      'generationConfig.max_output_tokens',
    ],
    [
      { generation_config: { candidate_count: 1, candidateCount: 8 } },
      'generation_config.candidate_count',
    ],
  ] as const)
    assert.deepEqual(limits('generate', request), { problem, isTwice: true });
});

test('a number in quotes or with an exponent is accepted', () => {
  assert.deepEqual(output('generate', { generationConfig: { maxOutputTokens: '77' } }), [77, 1]);
  assert.deepEqual(output('chat', '{"max_tokens":1e3,"n":2.0}'), [1000, 2]);
});

test('an unreadable limit is a problem that names its field', () => {
  assert.equal(output('chat', { n: '5.5' }), 'n');
  assert.equal(output('chat', { n: [5] }), 'n');
  assert.equal(output('messages', { max_tokens: -1 }), 'max_tokens');
  assert.equal(output('messages', { max_tokens: 1.5 }), 'max_tokens');
  assert.equal(output('generate', { generationConfig: 'x' }), 'generationConfig');
  assert.equal(
    output('generate', '{"generationConfig":{"maxOutputTokens":1,"maxOutputTokens":9}}'),
    'generationConfig',
  );
  assert.equal(
    output('generate', { generationConfig: { candidateCount: true } }),
    'generationConfig.candidateCount',
  );
});

test('a context that the provider may compact is reported', () => {
  const mayCompact = (endpoint: Endpoint, context_management: unknown) => {
    const read = limits(endpoint, { context_management });
    return 'problem' in read || read.mayCompact;
  };
  assert.equal(mayCompact('messages', { edits: [{ type: 'compact_20260112' }] }), true);
  assert.equal(mayCompact('messages', { edits: [{ type: 'clear_thinking_20251015' }] }), false);
  assert.equal(mayCompact('responses', [{ type: 'compaction', compact_threshold: 5 }]), true);
  assert.equal(mayCompact('responses', null), false);
  const escaped = limits('messages', '{"context_management":{"edits":[{"type":"comp\\u0061ct"}]}}');
  assert.ok(!('problem' in escaped) && escaped.mayCompact);
});

test('tools, predicted output and stored prompts are reported', () => {
  const tools = limits('messages', { tools: [{ name: 't' }] });
  assert.ok(!('problem' in tools) && tools.hasTools && !tools.readsStored);
  const predicted = limits('chat', { prediction: { type: 'content', content: 'abc' } });
  assert.ok(!('problem' in predicted) && predicted.predictedBytes === 34);
  for (const name of ['previous_response_id', 'conversation', 'prompt']) {
    const stored = limits('responses', { [name]: 'x' });
    assert.ok(!('problem' in stored) && stored.readsStored);
    const none = limits('responses', { [name]: null });
    assert.ok(!('problem' in none) && !none.readsStored);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { readTools, toolKind } from './request-tools.ts';

function read(format: ProviderFormat, tools: unknown) {
  const body = Buffer.from(typeof tools === 'string' ? tools : JSON.stringify(tools));
  return readTools(format, body, { start: 0, end: body.length });
}

function kinds(format: ProviderFormat, tools: unknown): unknown {
  const answer = read(format, tools);
  return 'problem' in answer ? answer : answer.tools.map(({ kind }) => kind);
}

test('the kind of a tool has no version', () => {
  assert.equal(toolKind('web_search_20250305'), 'web_search');
  assert.equal(toolKind('web_search_2025_08_26'), 'web_search');
  assert.equal(toolKind('web_search_preview_2025_03_11'), 'web_search_preview');
  assert.equal(toolKind('googleSearchRetrieval'), 'google_search_retrieval');
  assert.equal(toolKind('tool_search_tool_bm25_20251119'), 'tool_search_tool_bm25');
});

test('tools that the caller runs are left out', () => {
  const own = [
    { name: 'a', input_schema: {} },
    { type: 'custom', name: 'b' },
    { type: 'bash_20250124' },
    { type: 'computer_toolset_20260801' },
    { type: 'browser_toolset_20260801', configs: { close_tab: { enabled: false } } },
  ];
  assert.deepEqual(kinds('anthropic', own), []);
  assert.deepEqual(kinds('openai', [{ type: 'function', function: { name: 'f' } }]), []);
  assert.deepEqual(kinds('gemini', [{ functionDeclarations: [{ name: 'googleSearch' }] }]), []);
});

test('a search among tools is left out where the caller runs it, and nowhere else', () => {
  const search = (fields: object) => kinds('openai', [{ type: 'tool_search', ...fields }]);
  assert.deepEqual(search({ execution: 'client' }), []);
  for (const fields of [
    {},
    { execution: 'server' },
    { execution: null },
    { execution: ['client'] },
  ])
    assert.deepEqual(search(fields), ['tool_search']);
});

test('a shell is left out where the caller runs its commands, and nowhere else', () => {
  const shell = (environment?: unknown) => kinds('openai', [{ type: 'shell', environment }]);
  assert.deepEqual(shell({ type: 'local' }), []);
  for (const other of [undefined, null, 'local', {}, { type: 'container_auto' }, { Type: 'local' }])
    assert.deepEqual(shell(other), ['shell']);
  const twice = '[{"type":"shell","environment":{"type":"local","type":"container_auto"}}]';
  assert.deepEqual(kinds('openai', twice), ['shell']);
});

test('tools that the provider runs are found, however they are written', () => {
  assert.deepEqual(kinds('anthropic', [{ type: 'code_execution_20250825' }]), ['code_execution']);
  assert.deepEqual(kinds('openai', '[{"ty\\u0070e":"web\\u005fsearch"}]'), ['web_search']);
  assert.deepEqual(kinds('gemini', [{ functionDeclarations: [], googleSearch: {} }]), [
    'google_search',
  ]);
  assert.deepEqual(kinds('gemini', { google_search: {} }), ['google_search']);
  const unset = { functionDeclarations: [{ name: 'f' }], googleSearch: null, codeExecution: null };
  assert.deepEqual(kinds('gemini', [unset]), []);
});

test('a stated maximum of uses and a named model are read', () => {
  const answer = read('anthropic', [
    { type: 'web_search_20250305', max_uses: 3 },
    { type: 'custom', model: 'claude-opus-4-6' },
  ]);
  assert.ok('tools' in answer);
  assert.deepEqual(
    answer.tools.map(({ field, maxUses, model }) => [field, maxUses, model]),
    [
      ['tools[0].type', 3, undefined],
      ['tools[1].type', undefined, 'claude-opus-4-6'],
    ],
  );
});

test('a tool that parsers read differently is a problem', () => {
  assert.deepEqual(kinds('openai', '[{"type":"function","type":"web_search"}]'), {
    field: 'tools[0].type',
    problem: 'duplicate_field',
  });
  assert.deepEqual(kinds('openai', [{ Type: 'web_search' }]), {
    field: 'tools[0].type',
    problem: 'not_supported',
  });
  assert.deepEqual(kinds('openai', [{ type: 5 }]), {
    field: 'tools[0].type',
    problem: 'wrong_type',
  });
  assert.deepEqual(kinds('openai', 'true'), { field: 'tools', problem: 'wrong_type' });
  assert.deepEqual(kinds('openai', ['web_search']), { field: 'tools[0]', problem: 'wrong_type' });
});

test('the tools of a namespace count as if they stood alone', () => {
  const call = { type: 'function', name: 'f', parameters: {} };
  const group = (...tools: object[]) => ({ type: 'namespace', name: 'n', tools });
  assert.deepEqual(kinds('openai', [call, group(call, { type: 'custom', name: 'c' })]), []);
  const found = read('openai', [group(call, group({ type: 'web_search' }))]);
  assert.ok('tools' in found);
  assert.deepEqual(
    found.tools.map(({ kind, field }) => [kind, field]),
    [['web_search', 'tools[0].tools[1].tools[0].type']],
  );
  assert.deepEqual(read('openai', [{ type: 'namespace', name: 'n', tools: 7 }]), {
    field: 'tools[0].tools',
    problem: 'wrong_type',
  });
});

test('more tools than any provider accepts are refused, grouped ones too', () => {
  const many = Array.from({ length: 6000 }, () => ({ type: 'function' }));
  assert.deepEqual(kinds('openai', many), []);
  const groups = [1, 2].map(() => ({ type: 'namespace', tools: many }));
  assert.deepEqual(kinds('openai', groups), { field: 'tools[1].tools', problem: 'wrong_type' });
});

test('only tools of Anthropic state a maximum of their own, and those of OpenRouter have a documented one', () => {
  const uses = (format: ProviderFormat, type: string) => {
    const answer = read(format, [{ type, max_uses: 2 }]);
    return 'problem' in answer ? answer : answer.tools.map(({ maxUses }) => maxUses);
  };
  assert.deepEqual(uses('anthropic', 'web_search_20250305'), [2]);
  assert.deepEqual(uses('openai', 'web_search'), [undefined]);
  assert.deepEqual(uses('openai', 'mcp'), [undefined]);
  assert.deepEqual(uses('openai', 'openrouter:web_search'), [30]);
});

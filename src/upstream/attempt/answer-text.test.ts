import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { PROVIDER_FORMATS } from '../../kernel/provider-format.ts';
import { answerText } from './answer-text.ts';

test('the text of each format excludes thoughts and calls', () => {
  assert.equal(
    answerText('anthropic', {
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'Hello, ' },
        { type: 'tool_use', input: {} },
        { type: 'text', text: 'world' },
      ],
    }),
    'Hello, world',
  );
  assert.equal(answerText('openai', { choices: [{ message: { content: 'Hello' } }] }), 'Hello');
  assert.equal(
    answerText('openai', {
      choices: [{ message: { content: [{ type: 'text', text: 'Hello' }] } }],
    }),
    'Hello',
  );
  assert.equal(answerText('openai', { choices: [{ message: { content: null } }] }), '');
  assert.equal(
    answerText('gemini', {
      candidates: [
        { content: { parts: [{ text: 'Hm', thought: true }, { text: 'Hel' }, { text: 'lo' }] } },
      ],
    }),
    'Hello',
  );
});

test('the text of any value is a string', () => {
  const names = fc.constantFrom('content', 'choices', 'message', 'candidates', 'parts', 'text');
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(null, 1, 'word', true, undefined),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(names, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(fc.constantFrom(...PROVIDER_FORMATS), tree, (format, response) => {
      assert.equal(typeof answerText(format, response), 'string');
    }),
  );
});

test('Responses: the text is that of messages, not of reasoning or calls', () => {
  const text = (words: string) => ({ type: 'output_text', text: words });
  const output = [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
    { type: 'message', content: [text('One, '), text('two')] },
    { type: 'function_call', name: 'look', arguments: '{}' },
    { type: 'message', content: [text(', three.')] },
  ];
  assert.equal(answerText('openai', { object: 'response', output }), 'One, two, three.');
});

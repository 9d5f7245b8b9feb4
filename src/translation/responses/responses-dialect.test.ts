import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ANSWER,
  endOf,
  partsOf,
  read,
  readStream,
  write,
  writeStream,
} from '../../../test/support/translation/dialect-steps.ts';
import { eventsOf } from '../../../test/support/translation/random-conversations.ts';
import { isObject } from '../fields.ts';
import { responsesDialect as dialect } from './responses-dialect.ts';

test('items, files, reasoning and a schema are read and written', () => {
  const body = {
    model: 'm',
    instructions: 'Be brief.',
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Hello' },
          { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' },
          { type: 'input_file', file_url: 'https://example.com/a.pdf' },
        ],
      },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Hm.' }],
        encrypted_content: 'ZW5j',
      },
      { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"at":1}' },
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: [{ type: 'input_image', image_url: 'data:image/png;base64,iVBO', detail: 'auto' }],
      },
      {
        type: 'message',
        id: 'msg_4_0',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'refusal', refusal: 'No.' }],
      },
      { type: 'message', role: 'assistant', content: 'Perhaps.' },
    ],
    store: false,
    include: ['reasoning.encrypted_content'],
    tools: [{ type: 'function', name: 'look', parameters: { type: 'object' }, strict: true }],
    tool_choice: { type: 'function', name: 'look' },
    parallel_tool_calls: false,
    reasoning: { effort: 'high', summary: 'auto' },
    text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: true } },
  };
  assert.deepEqual(write(dialect, read(dialect, body)), body);
});

test('a freeform tool travels as a function, and its call returns as a freeform call', () => {
  const tool = {
    type: 'custom',
    name: 'patch',
    description: 'Patches.',
    format: { type: 'grammar', definition: 'start: "a"' },
  };
  const call = { type: 'custom_tool_call', call_id: 'c1', name: 'patch', input: '*** Begin' };
  const request = read(dialect, { input: [call], tools: [tool] });
  assert.match(request.tools[0]?.description ?? '', /Patches\..*start: "a"/s);
  assert.deepEqual(request.tools[0]?.parameters?.['required'], ['freeform_input']);
  const [part] = request.turns[0]?.parts ?? [];
  assert.ok(part?.kind === 'tool_call');
  const { output } = dialect.writeAnswer({ ...ANSWER, parts: [part] });
  const [{ type, name, input }] = Object(output);
  assert.deepEqual(
    { type, name, input },
    { type: 'custom_tool_call', name: 'patch', input: '*** Begin' },
  );
  const types = writeStream(dialect, eventsOf({ ...ANSWER, parts: [part] }, 5)).map(
    (event) => event['type'],
  );
  assert.ok(types.includes('response.custom_tool_call_input.done'), types.join());
});

test('a request that continues stored state is refused by field', () => {
  for (const field of ['previous_response_id', 'conversation', 'prompt'])
    assert.throws(() => read(dialect, { input: 'Hello', [field]: 'x' }), new RegExp(field));
  const input = [{ type: 'item_reference', id: 'rs_1' }];
  assert.throws(() => read(dialect, { input }), /input\[0\]\.type/);
});

test('an answer has the items and the counts of OpenAI', () => {
  const { id, status, output, usage, model } = dialect.writeAnswer(ANSWER);
  assert.deepEqual({ id, status, model }, { id: 'resp_one', status: 'completed', model: 'asked' });
  const items = Object(output);
  assert.deepEqual(
    items.map(({ type, id: item }: { type: string; id: string }) => [type, item]),
    [
      ['reasoning', 'rs_one_0'],
      ['message', 'msg_one_1'],
      ['function_call', 'fc_one_2'],
    ],
  );
  assert.match(items[0].encrypted_content, /^spillway\.messages\./);
  assert.deepEqual(usage, {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
    output_tokens: 9,
    output_tokens_details: { reasoning_tokens: 4 },
    total_tokens: 19,
  });
});

test('an answer that was cut is incomplete, by its reason', () => {
  for (const [reason, stated] of [
    ['max_tokens', 'max_output_tokens'],
    ['filtered', 'content_filter'],
  ] as const) {
    const body = dialect.writeAnswer({ ...ANSWER, parts: [], stop: { reason } });
    assert.equal(body['status'], 'incomplete');
    assert.deepEqual(body['incomplete_details'], { reason: stated });
    assert.equal(dialect.readAnswer(body).stop.reason, reason);
  }
});

test('a stream with summaries of several paragraphs, two contents and two calls is read', () => {
  const events = readStream(
    dialect,
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.in_progress', response: {} },
    { type: 'response.output_item.added', item: { type: 'reasoning', id: 'rs_1', summary: [] } },
    { type: 'response.reasoning_summary_part.added' },
    { type: 'response.reasoning_summary_text.delta', delta: 'One' },
    { type: 'response.reasoning_summary_part.added' },
    { type: 'response.reasoning_summary_text.delta', delta: 'Two' },
    {
      type: 'response.output_item.done',
      item: {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ text: 'One' }, { text: 'Two' }],
        encrypted_content: 'ZW5j',
      },
    },
    { type: 'response.output_item.added', item: { type: 'message', content: [] } },
    { type: 'response.content_part.added', part: { type: 'output_text', text: '' } },
    { type: 'response.output_text.delta', delta: 'Hello' },
    { type: 'response.content_part.done', part: {} },
    { type: 'response.content_part.added', part: { type: 'refusal', refusal: '' } },
    { type: 'response.refusal.delta', delta: 'No.' },
    { type: 'response.content_part.done', part: {} },
    { type: 'response.output_item.done', item: { type: 'message' } },
    {
      type: 'response.output_item.added',
      item: { type: 'function_call', call_id: 'c1', name: 'look' },
    },
    { type: 'response.function_call_arguments.delta', delta: '{}' },
    {
      type: 'response.output_item.done',
      item: { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
    },
    {
      type: 'response.output_item.added',
      item: { type: 'custom_tool_call', call_id: 'c2', name: 'patch' },
    },
    {
      type: 'response.output_item.done',
      item: { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: 'a' },
    },
    { type: 'response.completed', response: { usage: { input_tokens: 5, output_tokens: 6 } } },
  );
  assert.deepEqual(partsOf(events), [
    {
      kind: 'reasoning',
      text: 'One\n\nTwo',
      signature: { vendor: 'responses', data: '{"id":"rs_1","encrypted":"ZW5j"}' },
      isRedacted: false,
    },
    { kind: 'text', text: 'Hello' },
    { kind: 'refusal', text: 'No.' },
    { kind: 'tool_call', id: 'c1', name: 'look', arguments: '{}' },
    { kind: 'tool_call', id: 'c2', name: 'patch', arguments: '{"freeform_input":"a"}' },
  ]);
  assert.equal(endOf(events)?.stop.reason, 'tool_calls');
});

test('a stream has the events of OpenAI in their order, numbered, and ends with the whole response', () => {
  const events = writeStream(dialect, eventsOf(ANSWER, 10));
  assert.deepEqual(
    events.map((event) => event['sequence_number']),
    events.map((_, at) => at),
  );
  assert.deepEqual(
    events.map((event) => String(event['type']).replace('response.', '')),
    [
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ],
  );
  const last = events.at(-1)?.['response'];
  assert.ok(isObject(last));
  assert.deepEqual(last['output'], dialect.writeAnswer(ANSWER)['output']);
});

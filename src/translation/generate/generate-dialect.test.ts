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
import { Losses } from '../losses.ts';
import { generateDialect as dialect } from './generate-dialect.ts';

const HELLO = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };

test('media, calls with proofs, results and the whole configuration are read and written', () => {
  const body = {
    contents: [
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } },
          { fileData: { mimeType: 'image/png', fileUri: 'https://example.com/a.png' } },
        ],
      },
      {
        role: 'model',
        parts: [
          { text: 'I look.' },
          { functionCall: { name: 'look', args: { at: 1 } }, thoughtSignature: 'cHJvb2Y=' },
          { functionCall: { name: 'look', args: { at: 2 } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'look', response: { output: 'a cat' } } },
          { functionResponse: { name: 'look', response: { error: 'no dog' } } },
        ],
      },
    ],
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: { type: 'object' } }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['look'] } },
    generationConfig: {
      maxOutputTokens: 5,
      temperature: 1,
      topP: 0.5,
      topK: 4,
      seed: 1,
      presencePenalty: 0.5,
      frequencyPenalty: 0.5,
      stopSequences: ['END'],
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object' },
      thinkingConfig: { thinkingBudget: 2048, includeThoughts: true },
    },
  };
  assert.deepEqual(write(dialect, read(dialect, body)), body);
});

test('calls without ids are matched to their results by name and order', () => {
  const call = (name: string) => ({ functionCall: { name } });
  const result = (name: string) => ({ functionResponse: { name, response: {} } });
  const { turns } = read(dialect, {
    contents: [
      { role: 'model', parts: [call('a'), call('b'), call('a')] },
      { role: 'user', parts: [result('b'), result('a'), result('a')] },
    ],
  });
  const ids = turns.map(({ parts }) =>
    parts.map((part) =>
      part.kind === 'tool_result' ? part.callId : part.kind === 'tool_call' ? part.id : '',
    ),
  );
  assert.deepEqual(ids, [
    ['call_0', 'call_1', 'call_2'],
    ['call_1', 'call_0', 'call_2'],
  ]);
});

test('a name in two spellings is refused', () => {
  for (const [one, other] of [
    ['maxOutputTokens', 'max_outputTokens'],
    ['max_output_tokens', 'maxOutput_tokens'],
  ] as const) {
    const body = { contents: [], generationConfig: { [one]: 1, [other]: 60_000 } };
    assert.throws(() => read(dialect, body), { path: other });
  }
});

test('names in snake_case are read as those in camelCase, arguments and schemas stay', () => {
  const camel = {
    ...HELLO,
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    generationConfig: { maxOutputTokens: 5, stopSequences: ['END'] },
    tools: [
      {
        functionDeclarations: [
          { name: 'look', parameters: { type: 'OBJECT', properties: { a_b: { type: 'STRING' } } } },
        ],
      },
    ],
  };
  const snake = {
    ...HELLO,
    system_instruction: camel.systemInstruction,
    generation_config: { max_output_tokens: 5, stop_sequences: ['END'] },
    tools: [{ function_declarations: camel.tools[0]?.functionDeclarations }],
  };
  assert.deepEqual(read(dialect, snake), read(dialect, camel));
  assert.deepEqual(read(dialect, snake).tools[0]?.parameters, {
    type: 'object',
    properties: { a_b: { type: 'string' } },
  });
});

test('a level of effort becomes a budget that every model accepts', () => {
  const request = read(dialect, HELLO);
  const budgetOf = (effort: 'none' | 'low' | 'max') =>
    Object(
      write(dialect, {
        ...request,
        reasoning: { effort, budgetTokens: undefined, isShown: false },
      })['generationConfig'],
    ).thinkingConfig.thinkingBudget;
  assert.deepEqual([budgetOf('none'), budgetOf('low'), budgetOf('max')], [0, 2048, 24_576]);
});

test('an answer has the parts and the counts of Google', () => {
  const { candidates, usageMetadata, modelVersion } = dialect.writeAnswer(ANSWER);
  assert.equal(modelVersion, 'asked');
  const [{ content, finishReason }] = Object(candidates);
  assert.equal(finishReason, 'STOP');
  const proof = content.parts[1].thoughtSignature;
  assert.match(proof, /^spillway\.messages\./);
  assert.deepEqual(content.parts, [
    { text: 'Hm.', thought: true },
    { text: 'Hello', thoughtSignature: proof },
    { functionCall: { id: 'c1', name: 'look', args: { at: 1 } } },
  ]);
  assert.deepEqual(usageMetadata, {
    promptTokenCount: 10,
    candidatesTokenCount: 5,
    thoughtsTokenCount: 4,
    cachedContentTokenCount: 3,
    totalTokenCount: 19,
  });
});

test('a blocked prompt and a blocked answer are filtered', () => {
  const blocked = dialect.readAnswer({ promptFeedback: { blockReason: 'OTHER' } });
  const cut = dialect.readAnswer({ candidates: [{ finishReason: 'RECITATION' }] });
  assert.deepEqual([blocked.stop.reason, cut.stop.reason], ['filtered', 'filtered']);
});

test('a stream with thoughts, pieces of text, a signed call and a late proof is read', () => {
  const chunk = (...parts: readonly object[]) => ({
    responseId: 'r',
    candidates: [{ content: { parts } }],
  });
  const events = readStream(
    dialect,
    chunk({ text: 'H', thought: true }),
    chunk({ text: 'm.', thought: true }, { text: 'Hel' }),
    chunk({ text: 'lo' }),
    chunk(
      { functionCall: { name: 'look', args: { at: 1 } }, thoughtSignature: 'cDE=' },
      { functionCall: { name: 'look' } },
    ),
    {
      candidates: [
        { content: { parts: [{ text: '', thoughtSignature: 'cDI=' }] }, finishReason: 'STOP' },
      ],
    },
    {
      usageMetadata: {
        promptTokenCount: 5,
        cachedContentTokenCount: 2,
        candidatesTokenCount: 3,
        thoughtsTokenCount: 4,
      },
    },
  );
  const signed = (text: string, data: string) => ({
    kind: 'reasoning',
    text,
    signature: { vendor: 'generate', data },
    isRedacted: false,
  });
  assert.deepEqual(partsOf(events), [
    { kind: 'reasoning', text: 'Hm.', signature: undefined, isRedacted: false },
    { kind: 'text', text: 'Hello' },
    signed('', 'cDE='),
    { kind: 'tool_call', id: 'call_1', name: 'look', arguments: '{"at":1}' },
    { kind: 'tool_call', id: 'call_2', name: 'look', arguments: '{}' },
    signed('', 'cDI='),
  ]);
  const end = endOf(events);
  assert.equal(end?.stop.reason, 'tool_calls');
  assert.deepEqual(end?.usage, { input: 3, cacheRead: 2, cacheWrite: 0, output: 7, reasoning: 4 });
});

test('a stream has a piece per event, and the reason and counts in the last', () => {
  const chunks = writeStream(dialect, eventsOf(ANSWER, 2));
  const parts = chunks.flatMap((chunk) => Object(chunk['candidates'])[0].content.parts);
  const texts = parts.flatMap(({ text, thought }) => (text && !thought ? [text] : []));
  assert.deepEqual(texts, ['He', 'll', 'o']);
  assert.match(parts.find(({ text }) => text === 'He').thoughtSignature, /^spillway\.messages\./);
  const [last] = Object(chunks.at(-1)?.['candidates']);
  assert.equal(last.finishReason, 'STOP');
  assert.equal(Object(chunks.at(-1)?.['usageMetadata']).totalTokenCount, 19);
});

test('without alt=sse the stream is one JSON array', () => {
  const writer = dialect.createStreamWriter({
    model: 'asked',
    includesUsage: false,
    isArray: true,
  });
  const bytes = eventsOf(ANSWER, 3)
    .map((event) => writer.write(event))
    .join('');
  const parsed: unknown = JSON.parse(bytes);
  assert.ok(Array.isArray(parsed) && parsed.length > 3);
});

test('audio and stored files are left out where losses are allowed', () => {
  const losses = new Losses('lenient');
  const parts = [
    { inlineData: { mimeType: 'audio/wav', data: 'UklG' } },
    { fileData: { mimeType: 'image/png', fileUri: 'gs://bucket/a.png' } },
    { text: 'Hello' },
  ];
  const { turns } = dialect.readRequest(
    { contents: [{ role: 'user', parts }] },
    { model: 'm', isStream: false },
    losses,
  );
  assert.deepEqual(turns[0]?.parts, [{ kind: 'text', text: 'Hello' }]);
  assert.deepEqual(losses.dropped, [
    'contents[0].parts[0].inlineData.mimeType',
    'contents[0].parts[1].fileData.fileUri',
  ]);
});

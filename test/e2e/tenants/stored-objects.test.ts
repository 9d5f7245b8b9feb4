// Organisations share provider accounts, and a provider lets every caller of an account use what the account stores. A
// request that names such an object is refused before the provider is called, unless the operator allows it.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { ask, type Caller, errorOf, newTenant } from '../../support/gateway/call-rig.ts';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';

const FILE = `${SINGLE_ATTEMPTS}prices: { tools: { code_interpreter: 0.03, shell: 0.03, file_search: 0.01 } }\n`;
const RESPONSES = { model: 'gpt-4.1', max_output_tokens: 50 };
const CLAUDE = { model: 'claude-sonnet-4-5', max_tokens: 50 };
const GEMINI_PATH = '/v1beta/models/gemini-2.5-flash:generateContent';

const document = (source: object) => [{ role: 'user', content: [{ type: 'document', source }] }];
const gemini = (part: object, fields: object = {}) => ({
  contents: [{ role: 'user', parts: [{ text: 'Read' }, part] }],
  ...fields,
});

const STORED: readonly (readonly [string, string, object | string, string])[] = [
  [
    'a response of another organisation',
    '/v1/responses',
    { ...RESPONSES, input: 'x', previous_response_id: 'resp_1' },
    'previous_response_id',
  ],
  [
    'a response of another organisation, to be summarised',
    '/v1/responses/compact',
    { model: 'gpt-4.1', previous_response_id: 'resp_1' },
    'previous_response_id',
  ],
  [
    'a stored item, to be summarised',
    '/v1/responses/compact',
    { model: 'gpt-4.1', input: [{ type: 'item_reference', id: 'msg_1' }] },
    'item_reference',
  ],
  [
    'a response of another organisation, whose tokens are counted',
    '/v1/responses/input_tokens',
    { model: 'gpt-4.1', previous_response_id: 'resp_1' },
    'previous_response_id',
  ],
  [
    'a conversation of another organisation',
    '/v1/responses',
    { ...RESPONSES, input: 'x', conversation: { id: 'conv_1' } },
    'conversation',
  ],
  [
    'a conversation under an escaped name',
    '/v1/responses',
    '{"model":"gpt-4.1","max_output_tokens":5,"input":"x","con\\u0076ersation":"conv_1"}',
    'conversation',
  ],
  [
    'a stored item',
    '/v1/responses',
    { ...RESPONSES, input: [{ type: 'item_reference', id: 'msg_1' }] },
    'item_reference',
  ],
  [
    'a stored item under an escaped type',
    '/v1/responses',
    '{"model":"gpt-4.1","max_output_tokens":5,"input":[{"type":"item\\u005freference","id":"msg_1"}]}',
    'item_reference',
  ],
  [
    'a stored item without a type',
    '/v1/responses',
    { ...RESPONSES, input: [{ role: 'user', content: 'x' }, { id: 'msg_1' }] },
    'input[1].id',
  ],
  [
    'a stored item under an escaped name with a type that is null',
    '/v1/responses',
    '{"model":"gpt-4.1","max_output_tokens":5,"input":[{"type":null,"\\u0069d":"msg_1"}]}',
    'input[0].id',
  ],
  [
    'a file',
    '/v1/responses',
    {
      ...RESPONSES,
      input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }],
    },
    'file_id',
  ],
  [
    'a vector store',
    '/v1/responses',
    { ...RESPONSES, input: 'x', tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
    'vector_store_ids',
  ],
  [
    'a container',
    '/v1/responses',
    { ...RESPONSES, input: 'x', tools: [{ type: 'code_interpreter', container: 'cntr_1' }] },
    'container',
  ],
  [
    'files of a container',
    '/v1/responses',
    {
      ...RESPONSES,
      input: 'x',
      tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-1'] } }],
    },
    'file_ids',
  ],
  [
    'a container of a shell',
    '/v1/responses',
    {
      ...RESPONSES,
      input: 'x',
      tools: [{ type: 'shell', environment: { type: 'container_reference', container_id: 'c' } }],
    },
    'container_reference',
  ],
  [
    'a cache of Gemini in a chat request',
    '/v1/chat/completions',
    {
      model: 'gpt-4o',
      max_tokens: 50,
      messages: [{ role: 'user', content: 'x' }],
      extra_body: { google: { cached_content: 'cachedContents/1' } },
    },
    'cached_content',
  ],
  [
    'the sound of an earlier answer',
    '/v1/chat/completions',
    {
      model: 'gpt-4o',
      max_tokens: 50,
      messages: [{ role: 'assistant', audio: { id: 'audio_1' } }],
    },
    'audio',
  ],
  [
    'a container of a message as an object',
    '/v1/messages',
    { ...CLAUDE, messages: [{ role: 'user', content: 'x' }], container: { id: 'container_1' } },
    'container',
  ],
  [
    'a skill of the account',
    '/v1/messages',
    {
      ...CLAUDE,
      messages: [{ role: 'user', content: 'x' }],
      container: { skills: [{ type: 'custom', skill_id: 'skill_01', version: 'latest' }] },
    },
    'skill_id',
  ],
  [
    'a store of Gemini’s file search',
    GEMINI_PATH,
    gemini(
      { text: 'x' },
      { tools: [{ fileSearch: { fileSearchStoreNames: ['fileSearchStores/1'] } }] },
    ),
    'fileSearchStoreNames',
  ],
  [
    'a file of a message',
    '/v1/messages',
    { ...CLAUDE, messages: document({ type: 'file', file_id: 'file_1' }) },
    'file_id',
  ],
  [
    'a container of a message',
    '/v1/messages',
    { ...CLAUDE, messages: [{ role: 'user', content: 'x' }], container: 'container_1' },
    'container',
  ],
  [
    'a cache',
    GEMINI_PATH,
    gemini({ text: 'x' }, { cachedContent: 'cachedContents/1' }),
    'cachedContent',
  ],
  [
    'a cache by its other name',
    GEMINI_PATH,
    gemini({ text: 'x' }, { cached_content: 'c/1' }),
    'cached_content',
  ],
  [
    'an uploaded file',
    GEMINI_PATH,
    gemini({
      fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/1' },
    }),
    'fileUri',
  ],
  [
    'a bucket',
    GEMINI_PATH,
    gemini({ fileData: { fileUri: 'gs://their-bucket/plan.pdf' } }),
    'fileUri',
  ],
];

/** The endpoints that count the tokens of a request; the provider reads what it names. */
const COUNTING: Readonly<Record<string, string>> = {
  '/v1/responses': '/v1/responses/input_tokens',
  '/v1/messages': '/v1/messages/count_tokens',
  [GEMINI_PATH]: '/v1beta/models/gemini-2.5-flash:countTokens',
};
const COUNTED = STORED.flatMap(([name, path, body, field]) => {
  const counting = COUNTING[path];
  return counting === undefined
    ? []
    : [[`${name}, in a request to count tokens,`, counting, body, field] as const];
});
const WRAPPED = [
  'a cache of a wrapped request to count tokens',
  '/v1beta/models/gemini-2.5-flash:countTokens',
  { generateContentRequest: gemini({ text: 'x' }, { cachedContent: 'cachedContents/1' }) },
  'cachedContent',
] as const;

suite('objects that a provider stores for its account', () => {
  let gateway: TestGateway;
  let tenant: Caller;
  before(async () => {
    gateway = await startTestGateway({}, () => FILE);
    tenant = await newTenant(gateway, { monthlyBudgetUsd: 10_000 });
  });
  after(() => gateway.close());

  for (const [name, path, body, field] of [...STORED, ...COUNTED, WRAPPED]) {
    test(`${name} is refused by name and no provider is called`, async () => {
      gateway.simulator.clearLog();
      const answer = await ask(tenant, { path, body });
      assert.equal(answer.status, 400, answer.text);
      assert.ok(answer.text.includes(`"${field}"`), answer.text);
      assert.match(answer.text, /"problem":"stored_object"/);
      assert.deepEqual(gateway.simulator.log(), []);
    });

    test(`${name} is forwarded for an organisation that the operator has listed`, async () => {
      gateway.simulator.clearLog();
      await ask(gateway, { path, body });
      assert.equal(gateway.simulator.log().length, 1);
    });
  }

  test('items of an earlier answer that the request contains are forwarded', async () => {
    gateway.simulator.clearLog();
    const content = [{ type: 'output_text', text: 'x', annotations: [] }];
    const input = [
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'message', id: 'msg_1', role: 'assistant', content },
      { id: 'msg_2', role: 'user', content: 'y' },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{}' },
    ];
    const answer = await ask(tenant, { path: '/v1/responses', body: { ...RESPONSES, input } });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(gateway.simulator.log().length, 1);
  });

  test('a job that names a stored response fails with INVALID_REQUEST', async () => {
    const body = { ...RESPONSES, input: 'x', previous_response_id: 'resp_1' };
    const headers = { prefer: 'respond-async' };
    gateway.simulator.clearLog();
    const receipt = await ask(tenant, { path: '/v1/responses', body, headers });
    assert.equal(receipt.status, 202, receipt.text);
    const job = `${gateway.url}${receipt.headers.get('location')}`;
    const key = { 'x-api-key': tenant.apiKey };
    await (
      await fetch(`${job}/events`, { headers: { ...key, accept: 'text/event-stream' } })
    ).text();
    const ended = await (await fetch(job, { headers: key })).text();
    assert.match(ended, /"code":"INVALID_REQUEST"/);
    assert.deepEqual(gateway.simulator.log(), []);
  });

  test('files on the web, and absent references, are not stored objects', async () => {
    for (const [path, body] of [
      [GEMINI_PATH, gemini({ fileData: { fileUri: 'https://www.youtube.com/watch?v=1' } })],
      [
        '/v1/responses',
        { ...RESPONSES, input: 'x', previous_response_id: null, conversation: null },
      ],
      [
        '/v1/responses',
        {
          ...RESPONSES,
          input: 'x',
          tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
        },
      ],
    ] as const) {
      const answer = await ask(tenant, { path, body });
      assert.equal(answer.status, 200, answer.text);
    }
  });
});

test('every organisation may name stored objects if the operator allows all', async (context) => {
  const gateway = await startTestGateway({}, () => `${FILE}forwarding: { storedObjects: ['*'] }\n`);
  context.after(() => gateway.close());
  const tenant = await newTenant(gateway, { monthlyBudgetUsd: 10_000 });
  const body = { ...RESPONSES, input: 'x', previous_response_id: 'resp_1' };
  const answer = await ask(tenant, { path: '/v1/responses', body });
  assert.ok(answer.status === 200 || errorOf(answer).code !== 'INVALID_REQUEST', answer.text);
  assert.equal(gateway.simulator.log().length, 1);
});

// docs/calls.md states which fields of a request have no counterpart at a provider of another format. The table there is
// the result of these translations.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DIALECTS_BY_NAME } from './dialects.ts';
import { Losses } from './losses.ts';
import { DIALECTS, type DialectName, type JsonObject } from './neutral-request.ts';

const HELLO = [{ role: 'user', content: 'Hello' }];
const BODIES: Readonly<Record<DialectName, JsonObject>> = {
  messages: { max_tokens: 2000, messages: HELLO },
  chat: { messages: HELLO },
  responses: { input: 'Hello' },
  generate: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
};

const PDF_URL = { type: 'url', url: 'https://example.com/a.pdf' };

/** One request per row of the table: the fields that are added, by the name that the table shows. */
const ROWS: Readonly<Record<DialectName, Readonly<Record<string, JsonObject>>>> = {
  messages: {
    top_k: { top_k: 5 },
    stop_sequences: { stop_sequences: ['END'] },
    'tool_choice.disable_parallel_tool_use': {
      tools: [{ name: 'look', input_schema: {} }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    },
    'tools of Anthropic (`web_search`, `bash`, …)': {
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    },
    'files (`source.type: file`)': {
      messages: [
        { role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'f' } }] },
      ],
    },
    'documents by URL (`source.type: url`)': {
      messages: [{ role: 'user', content: [{ type: 'document', source: PDF_URL }] }],
    },
    'citations.enabled': {
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: '' },
              citations: { enabled: true },
            },
          ],
        },
      ],
    },
    'container, mcp_servers': { mcp_servers: [{}] },
  },
  chat: {
    seed: { seed: 1 },
    'presence_penalty, frequency_penalty': { presence_penalty: 1 },
    stop: { stop: ['END'] },
    'temperature above 1': { temperature: 1.5 },
    'parallel_tool_calls: false': {
      tools: [{ type: 'function', function: { name: 'look' } }],
      parallel_tool_calls: false,
    },
    'response_format: json_object': { response_format: { type: 'json_object' } },
    'response_format: json_schema': {
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {} } },
    },
    'n above 1': { n: 2 },
    'logprobs, logit_bias': { logprobs: true },
    'audio, files by `file_id`': { audio: {} },
  },
  responses: {
    'previous_response_id, conversation, prompt': { previous_response_id: 'resp_1' },
    'tools of OpenAI (`web_search`, `file_search`, …)': { tools: [{ type: 'web_search' }] },
    'freeform tools (`custom`)': { tools: [{ type: 'custom', name: 'patch' }] },
    'input_file.file_url': {
      input: [{ role: 'user', content: [{ type: 'input_file', file_url: PDF_URL.url }] }],
    },
    'truncation: auto': { truncation: 'auto' },
    'parallel_tool_calls: false': {
      tools: [{ type: 'function', name: 'look' }],
      parallel_tool_calls: false,
    },
    'text.format: json_object': { text: { format: { type: 'json_object' } } },
  },
  generate: {
    'generationConfig.topK': { generationConfig: { topK: 5 } },
    'generationConfig.seed': { generationConfig: { seed: 1 } },
    'generationConfig.presencePenalty, frequencyPenalty': {
      generationConfig: { presencePenalty: 1 },
    },
    'generationConfig.stopSequences': { generationConfig: { stopSequences: ['END'] } },
    'generationConfig.candidateCount above 1': { generationConfig: { candidateCount: 2 } },
    'responseMimeType: application/json without a schema': {
      generationConfig: { responseMimeType: 'application/json' },
    },
    'tools of Google (`googleSearch`, …)': { tools: [{ googleSearch: {} }] },
    'safetySettings that block': {
      safetySettings: [{ category: 'A', threshold: 'BLOCK_LOW_AND_ABOVE' }],
    },
    'documents by URL (`fileData.fileUri`)': {
      contents: [
        {
          role: 'user',
          parts: [{ fileData: { mimeType: 'application/pdf', fileUri: PDF_URL.url } }],
        },
      ],
    },
    cachedContent: { cachedContent: 'cachedContents/1' },
    'audio and video': {
      contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'audio/wav', data: '' } }] }],
    },
  },
};

function isKept(from: DialectName, to: DialectName, fields: JsonObject): boolean {
  const losses = new Losses('lenient', DIALECTS_BY_NAME[from].fieldNames);
  const body = { ...BODIES[from], ...fields };
  const request = DIALECTS_BY_NAME[from].readRequest(body, { model: 'm', isStream: false }, losses);
  DIALECTS_BY_NAME[to].writeRequest(request, { maxOutputTokens: 4096 }, losses);
  return losses.dropped.length === 0;
}

function table(): string {
  const head = `| caller | field | ${DIALECTS.join(' | ')} |\n|---|---|${'---|'.repeat(DIALECTS.length)}`;
  const rows = DIALECTS.flatMap((from) =>
    Object.entries(ROWS[from]).map(([name, fields]) => {
      const cells = DIALECTS.map((to) =>
        to === from ? 'own' : isKept(from, to, fields) ? 'kept' : '**lost**',
      );
      return `| ${from} | ${name} | ${cells.join(' | ')} |`;
    }),
  );
  return [head, ...rows].join('\n');
}

test('the table of lost fields in docs/calls.md is the result of translating them', () => {
  const document = readFileSync(new URL('../../docs/calls.md', import.meta.url), 'utf8');
  const expected = table();
  assert.ok(document.includes(expected), `docs/calls.md needs this table:\n\n${expected}\n`);
});

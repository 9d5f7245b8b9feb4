// A model's thoughts over two turns: the proof passes through the caller's format as one opaque text and returns to the
// vendor that made it, in the form that the vendor accepts; no other vendor receives it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { thoughtOf } from '../../test/support/translation/random-parts.ts';
import { DIALECTS_BY_NAME } from './dialects.ts';
import { isObject } from './fields.ts';
import { withoutForeignThoughts } from './foreign-thoughts.ts';
import { Losses } from './losses.ts';
import type { NeutralAnswer } from './neutral-answer.ts';
import {
  DIALECTS,
  type DialectName,
  type JsonObject,
  type NeutralRequest,
  type ReasoningPart,
} from './neutral-request.ts';
import { unwrapProof, wrapSignature } from './signature.ts';

const LIMITS = { maxOutputTokens: 4096 };
const OPENAI_PROOF = JSON.stringify({ id: 'rs_1', encrypted: 'ZW5j' });

/** Chat Completions has no thoughts that a provider expects back. */
const VENDORS = DIALECTS.filter((name) => name !== 'chat');

function thought(vendor: DialectName, isRedacted = false): ReasoningPart {
  const data = vendor === 'responses' ? OPENAI_PROOF : 'cHJvb2Y=';
  return {
    kind: 'reasoning',
    text: isRedacted ? '' : 'Hm.',
    signature: { vendor, data },
    isRedacted,
  };
}

function answerWith(thoughts: readonly ReasoningPart[]): NeutralAnswer {
  return {
    id: 'one',
    model: 'm',
    createdAt: 0,
    parts: [...thoughts, { kind: 'tool_call', id: 'call_1', name: 'look', arguments: '{}' }],
    stop: { reason: 'tool_calls' },
    usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 },
  };
}

/** The second request of a caller that returns the answer as it came. */
const SECOND_TURN: Readonly<Record<DialectName, (answer: JsonObject) => JsonObject>> = {
  messages: ({ content }) => ({
    max_tokens: 100,
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content },
    ],
  }),
  chat: ({ choices }) => ({
    messages: [
      { role: 'user', content: 'Hello' },
      ...objects(choices).map(({ message }) => message),
    ],
  }),
  responses: ({ output }) => ({ input: [{ role: 'user', content: 'Hello' }, ...objects(output)] }),
  generate: ({ candidates }) => ({
    contents: [
      { role: 'user', parts: [{ text: 'Hello' }] },
      ...objects(candidates).map(({ content }) => content),
    ],
  }),
};

function objects(value: unknown): readonly JsonObject[] {
  assert.ok(Array.isArray(value));
  return value.filter(isObject);
}

function secondRequest(format: DialectName, ...thoughts: readonly ReasoningPart[]): JsonObject {
  const sent: unknown = JSON.parse(
    JSON.stringify(DIALECTS_BY_NAME[format].writeAnswer(answerWith(thoughts))),
  );
  assert.ok(isObject(sent));
  return SECOND_TURN[format](sent);
}

function neutralOf(format: DialectName, body: JsonObject): NeutralRequest {
  const terms = { model: 'm', isStream: false };
  return DIALECTS_BY_NAME[format].readRequest(body, terms, new Losses('strict'));
}

function written(vendor: DialectName, request: NeutralRequest): JsonObject {
  return DIALECTS_BY_NAME[vendor].writeRequest(request, LIMITS, new Losses('strict'));
}

function writtenTo(vendor: DialectName, request: NeutralRequest): string {
  return JSON.stringify(written(vendor, request));
}

for (const format of DIALECTS)
  for (const vendor of VENDORS.filter((name) => name !== format)) {
    test(`a thought of ${vendor} returns through ${format}, and to no other vendor`, () => {
      const request = neutralOf(format, secondRequest(format, thought(vendor)));
      assert.deepEqual(request.turns[1]?.parts[0], thought(vendor));
      const proof = vendor === 'responses' ? 'ZW5j' : 'cHJvb2Y=';
      for (const target of DIALECTS) {
        const written = writtenTo(target, request);
        assert.equal(written.includes(proof), target === vendor, `${target}: ${written}`);
        assert.ok(!written.includes('spillway.'), written);
      }
    });

    test(`any thoughts of ${vendor} return through ${format}, in order`, () => {
      // Chat Completions has one field for the thoughts of an answer.
      const maxLength = format === 'chat' ? 1 : 3;
      fc.assert(
        fc.property(fc.array(thoughtOf(vendor), { minLength: 1, maxLength }), (thoughts) => {
          const sent = secondRequest(format, ...thoughts);
          const returned = written(vendor, neutralOf(format, sent));
          const parts = neutralOf(vendor, returned).turns.flatMap((turn) => turn.parts);
          assert.deepEqual(
            parts.filter(({ kind }) => kind === 'reasoning'),
            thoughts,
          );
        }),
        { numRuns: 40 },
      );
    });

    test(`a provider of ${format} receives no thought of ${vendor} in the caller's own bytes`, () => {
      const body = Buffer.from(JSON.stringify(secondRequest(format, thought(vendor))));
      const cleaned = withoutForeignThoughts(body, format).toString();
      assert.ok(body.includes('spillway.') && !cleaned.includes('spillway.'), cleaned);
      const { turns } = neutralOf(format, parsed(cleaned));
      const kinds = turns.slice(1).flatMap(({ parts }) => parts.map(({ kind }) => kind));
      assert.ok(kinds.includes('tool_call'), cleaned);
    });
  }

test("a redacted thought of Anthropic returns as such through every caller's format", () => {
  for (const format of DIALECTS.filter((name) => name !== 'messages')) {
    const request = neutralOf(format, secondRequest(format, thought('messages', true)));
    const written = writtenTo('messages', request);
    assert.ok(written.includes('{"type":"redacted_thinking","data":"cHJvb2Y="}'), written);
  }
});

test("Gemini's proof is on the part that follows the thought", () => {
  const request = neutralOf('messages', secondRequest('messages', thought('generate')));
  const body = DIALECTS_BY_NAME.generate.writeRequest(request, LIMITS, new Losses('strict'));
  assert.deepEqual(objects(body['contents'])[1], {
    role: 'model',
    parts: [
      { text: 'Hm.', thought: true },
      { functionCall: { name: 'look', args: {} }, thoughtSignature: 'cHJvb2Y=' },
    ],
  });
});

test('a call without a proof is marked for models that demand one', () => {
  const request = neutralOf('messages', secondRequest('messages', thought('responses')));
  assert.ok(!writtenTo('generate', { ...request, model: 'gemini-2.5-pro' }).includes('skip_'));
  const marked = '"thoughtSignature":"skip_thought_signature_validator"';
  assert.ok(writtenTo('generate', { ...request, model: 'gemini-3-pro-preview' }).includes(marked));
});

test('a body without thoughts of other vendors passes byte for byte', () => {
  for (const text of [
    '{"messages": [1, "spillway.messages."]}',
    '{"a":',
    '[]',
    '{ "m" : "spillway" }',
  ])
    for (const format of DIALECTS) {
      const body = Buffer.from(text);
      const passed = withoutForeignThoughts(body, format);
      if (!text.includes('"spillway.')) assert.equal(passed, body);
      else assert.ok(passed.includes('spillway.messages.'));
    }
});

test('a text that only looks like a wrapped proof is the proof of its own format', () => {
  for (const text of ['spillway.', 'spillway.nobody.YQ', 'spillway.__proto__.YQ', 'a.b', ''])
    assert.deepEqual(unwrapProof(text, 'messages').signature, { vendor: 'messages', data: text });
  const wrapped = wrapSignature({ vendor: 'messages', data: 'Ünïcödé' }, 'chat', true);
  assert.deepEqual(unwrapProof(wrapped, 'chat'), {
    signature: { vendor: 'messages', data: 'Ünïcödé' },
    isRedacted: true,
  });
});

function parsed(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  assert.ok(isObject(value));
  return value;
}

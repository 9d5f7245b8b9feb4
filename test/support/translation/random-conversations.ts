// Random conversations in the neutral form that every dialect can express, and the streams of answers.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isObject } from '../../../src/translation/fields.ts';
import type {
  AnswerPart,
  NeutralAnswer,
  NeutralEvent,
} from '../../../src/translation/neutral-answer.ts';
import type { JsonObject, NeutralRequest, Turn } from '../../../src/translation/neutral-request.ts';
import { args, text, word } from './random-parts.ts';

const image = fc.base64String({ minLength: 4, maxLength: 40 }).map((data) => ({
  kind: 'image' as const,
  source: { kind: 'base64' as const, mediaType: 'image/png', data },
}));

/** A question, then any number of rounds of an assistant with tool calls and the user's results, then a text. */
const turns: fc.Arbitrary<readonly Turn[]> = fc
  .tuple(
    fc.tuple(text, fc.option(image, { nil: undefined })),
    fc.array(
      fc.array(fc.record({ name: word, arguments: args, result: text }), {
        minLength: 1,
        maxLength: 3,
      }),
      {
        maxLength: 3,
      },
    ),
    text,
  )
  .map(([[question, picture], rounds, last]) => [
    {
      role: 'user' as const,
      parts: [{ kind: 'text' as const, text: question }, ...(picture ? [picture] : [])],
    },
    ...rounds.flatMap((calls, round): readonly Turn[] => [
      {
        role: 'assistant',
        parts: calls.map((call, index) => ({
          kind: 'tool_call',
          id: `call_${round}_${index}`,
          name: `${call.name}_${round}_${index}`,
          arguments: call.arguments,
        })),
      },
      {
        role: 'user',
        parts: calls.map((call, index) => ({
          kind: 'tool_result',
          callId: `call_${round}_${index}`,
          name: undefined,
          parts: [{ kind: 'text', text: call.result }],
          isError: false,
        })),
      },
    ]),
    { role: 'assistant' as const, parts: [{ kind: 'text' as const, text: last }] },
    { role: 'user' as const, parts: [{ kind: 'text' as const, text: 'Go on.' }] },
  ]);

export const anyRequest: fc.Arbitrary<NeutralRequest> = fc.record({
  model: fc.constant('m'),
  isStream: fc.constant(false),
  system: fc
    .array(text, { maxLength: 1 })
    .map((texts) => texts.map((each) => ({ kind: 'text' as const, text: each }))),
  turns,
  tools: fc.uniqueArray(word, { maxLength: 3 }).map((names) =>
    names.map((name) => ({
      name,
      description: `About ${name}`,
      parameters: { type: 'object', properties: { [name]: { type: 'string' } } },
      isStrict: undefined,
    })),
  ),
  toolChoice: fc.constantFrom(undefined, { kind: 'auto' as const }, { kind: 'required' as const }),
  allowsParallelCalls: fc.constant(undefined),
  maxOutputTokens: fc.integer({ min: 2000, max: 4000 }),
  temperature: fc.option(fc.constantFrom(0, 0.5, 1), { nil: undefined }),
  topP: fc.option(fc.constantFrom(0.1, 0.9), { nil: undefined }),
  topK: fc.constant(undefined),
  seed: fc.constant(undefined),
  presencePenalty: fc.constant(undefined),
  frequencyPenalty: fc.constant(undefined),
  stopSequences: fc.constant([]),
  reasoning: fc.constant(undefined),
  outputFormat: fc.constantFrom(undefined, {
    kind: 'json_schema' as const,
    name: undefined,
    schema: { type: 'object' },
    isStrict: undefined,
  }),
});

/** The neutral stream of an answer, in pieces of `size` characters. */
export function eventsOf(
  { id, createdAt, parts, stop, usage }: NeutralAnswer,
  size: number,
): readonly NeutralEvent[] {
  return [
    { kind: 'start', id, createdAt, usage: undefined },
    ...parts.flatMap((each, index): readonly NeutralEvent[] => [
      {
        kind: 'part_start',
        index,
        part:
          each.kind === 'tool_call'
            ? { kind: each.kind, id: each.id, name: each.name }
            : { kind: each.kind },
      },
      ...pieces(wholeText(each), size).map((piece) => ({
        kind: 'delta' as const,
        index,
        text: piece,
      })),
      { kind: 'part_end', index, part: each },
    ]),
    { kind: 'end', stop, usage },
  ];
}

export function wholeText(each: AnswerPart): string {
  return each.kind === 'tool_call' ? each.arguments : each.text;
}

function pieces(whole: string, size: number): readonly string[] {
  // By code points: half a surrogate pair is not valid text.
  const characters = Array.from(whole);
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, at) =>
    characters.slice(at * size, (at + 1) * size).join(''),
  );
}

export function parseSse(
  bytes: string,
): readonly { readonly event: string; readonly data: JsonObject }[] {
  return bytes
    .split(/\r?\n\r?\n/)
    .filter((block) => block !== '')
    .flatMap((block) => {
      const event = /^event: ([^\n]*)$/m.exec(block)?.[1] ?? '';
      const json = /^data: ([^\n]*)$/m.exec(block)?.[1]?.trimEnd() ?? '';
      if (json === '[DONE]') return [];
      const data: unknown = JSON.parse(json);
      assert.ok(isObject(data));
      return [{ event, data }];
    });
}

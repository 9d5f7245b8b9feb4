// Random conversations and answers in the neutral form, their streams, and what of them is comparable after a translation.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isObject } from '../../../src/translation/fields.ts';
import type {
  AnswerPart,
  NeutralAnswer,
  NeutralEvent,
  StopReason,
} from '../../../src/translation/neutral-answer.ts';
import type { JsonObject, NeutralRequest, Turn } from '../../../src/translation/neutral-request.ts';

const text = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' });
const word = fc.stringMatching(/^[a-z]{1,8}$/);
const args = fc
  .dictionary(word, fc.oneof(text, fc.integer(), fc.boolean()))
  .map((value) => JSON.stringify(value));

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

const part: fc.Arbitrary<AnswerPart> = fc.oneof(
  text.map((each) => ({ kind: 'text' as const, text: each })),
  fc.record({ kind: fc.constant('tool_call' as const), id: word, name: word, arguments: args }),
);

/** Neighbouring texts are one part, and ids are unique, as in every vendor's answers. */
export const anyAnswer: fc.Arbitrary<NeutralAnswer> = fc
  .tuple(
    fc.option(text, { nil: undefined }),
    fc.option(text, { nil: undefined }),
    fc.array(part, { maxLength: 4 }),
  )
  .map(([thought, first, others]) => {
    const calls = others.flatMap((each, index) =>
      each.kind === 'tool_call' ? [{ ...each, id: `call_${index}` }] : [],
    );
    const parts: AnswerPart[] = [
      ...(thought === undefined
        ? []
        : [
            {
              kind: 'reasoning' as const,
              text: thought,
              signature: { vendor: 'messages' as const, data: 'proof' },
              isRedacted: false,
            },
          ]),
      ...(first === undefined ? [] : [{ kind: 'text' as const, text: first }]),
      ...calls,
    ];
    const reason: StopReason = calls.length > 0 ? 'tool_calls' : 'end';
    return {
      id: 'one',
      model: 'm',
      createdAt: 1_800_000_000_000,
      parts,
      stop: { reason },
      usage: { input: 5, cacheRead: 3, cacheWrite: 0, output: 9, reasoning: 0 },
    };
  });

/** Names of results are known to Gemini only; arguments and results that are JSON are compared as such. */
export function comparable(given: NeutralRequest): unknown {
  const own = { isStrict: undefined, name: undefined };
  return {
    ...given,
    turns: given.turns
      .reduce<Turn[]>((merged, turn) => {
        const last = merged.at(-1);
        if (last?.role !== turn.role) return [...merged, turn];
        return [...merged.slice(0, -1), { ...last, parts: [...last.parts, ...turn.parts] }];
      }, [])
      .map(({ role, parts }) => ({ role, parts: parts.map(comparablePart) })),
    tools: given.tools.map((tool) => ({ ...tool, isStrict: undefined })),
    outputFormat: given.outputFormat && { ...given.outputFormat, ...own },
  };
}

function comparablePart(each: Turn['parts'][number]): unknown {
  if (each.kind === 'tool_call') return { ...each, id: '', arguments: JSON.parse(each.arguments) };
  if (each.kind === 'tool_result') return { ...each, callId: '', name: undefined };
  if (each.kind === 'image') return { ...each, detail: undefined, name: undefined };
  return each;
}

export function comparableAnswer({ parts, stop, usage }: NeutralAnswer): unknown {
  const own = parts.map((each) =>
    each.kind === 'tool_call'
      ? { ...each, id: '', arguments: JSON.parse(each.arguments) as unknown }
      : each,
  );
  return { parts: own, reason: stop.reason, usage };
}

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

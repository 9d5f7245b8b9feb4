// Random requests with the features that two dialects share. The table below lists each dialect's features; a request
// uses only shared ones, so that a property compares it without exceptions. It has no thoughts: a request carries them
// only to the vendor that made them.

import fc from 'fast-check';
import {
  type DialectName,
  EFFORTS,
  type Effort,
  type MediaPart,
  type NeutralRequest,
  type ToolResultPart,
  type Turn,
  type TurnPart,
} from '../../../src/translation/neutral-request.ts';
import { args, text, word } from './random-parts.ts';

type Feature =
  | 'stop sequences'
  | 'top k'
  | 'seed and penalties'
  | 'no parallel calls'
  | 'strict schemas'
  | 'failed results'
  | 'images in results'
  | 'plain text files'
  | 'files by URL'
  | 'resolution of images'
  | 'several instructions'
  | 'refusals'
  | 'JSON without a schema'
  | 'shown thoughts';

const FEATURES: Readonly<Record<DialectName, readonly Feature[]>> = {
  messages: [
    'stop sequences',
    'top k',
    'no parallel calls',
    'strict schemas',
    'failed results',
    'images in results',
    'plain text files',
    'files by URL',
    'several instructions',
    'shown thoughts',
  ],
  chat: [
    'stop sequences',
    'seed and penalties',
    'no parallel calls',
    'strict schemas',
    'resolution of images',
    'refusals',
    'JSON without a schema',
  ],
  responses: [
    'no parallel calls',
    'strict schemas',
    'images in results',
    'plain text files',
    'files by URL',
    'resolution of images',
    'refusals',
    'JSON without a schema',
    'shown thoughts',
  ],
  generate: [
    'stop sequences',
    'top k',
    'seed and penalties',
    'failed results',
    'plain text files',
    'files by URL',
    'several instructions',
    'JSON without a schema',
    'shown thoughts',
  ],
};

/** Anthropic's lowest level is `low`, Gemini's highest is `high`. */
const LEVELS: Readonly<Record<DialectName, readonly Effort[]>> = {
  messages: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
  chat: EFFORTS,
  responses: EFFORTS,
  generate: ['none', 'minimal', 'low', 'medium', 'high'],
};

type Has = (feature: Feature) => boolean;

function maybe<T>(isShared: boolean, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return isShared ? fc.option(arbitrary, { nil: undefined }) : fc.constant(undefined);
}

const DATA = fc.base64String({ minLength: 4, maxLength: 40 });

function mediaOf(has: Has): fc.Arbitrary<MediaPart> {
  const detail = maybe(has('resolution of images'), fc.constantFrom('low', 'high'));
  const bytes = (mediaType: string) =>
    DATA.map((data) => ({ kind: 'base64' as const, mediaType, data }));
  const link = word.map((name) => ({ kind: 'url' as const, url: `https://a.example/${name}` }));
  const image = fc.record({
    kind: fc.constant('image' as const),
    source: fc.oneof(bytes('image/png'), bytes('image/webp'), link),
    detail,
  });
  const file = fc.record({
    kind: fc.constant('document' as const),
    source: has('plain text files')
      ? fc.oneof(bytes('application/pdf'), text.map(plainText))
      : bytes('application/pdf'),
    name: word,
  });
  const linked = link.map((source) => ({ kind: 'document' as const, source }));
  return has('files by URL') ? fc.oneof(image, file, linked) : fc.oneof(image, file);
}

function plainText(each: string) {
  const data = Buffer.from(each).toString('base64');
  return { kind: 'base64' as const, mediaType: 'text/plain', data };
}

/** Results may be JSON, and come in another order than their calls. */
function roundOf(has: Has): fc.Arbitrary<readonly Turn[]> {
  const output = fc.oneof(
    text,
    args,
    word.map((each) => JSON.stringify({ output: each })),
    word.map((each) => JSON.stringify({ error: each })),
  );
  const called = fc.record({
    name: fc.constantFrom('look', 'find'),
    arguments: args,
    output,
    isError: has('failed results') ? fc.boolean() : fc.constant(false),
    image: maybe(
      has('images in results'),
      DATA.map((data) => ({ kind: 'base64' as const, mediaType: 'image/png', data })),
    ),
  });
  return fc
    .tuple(
      fc.option(text, { nil: undefined }),
      fc.array(called, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      fc.option(text, { nil: undefined }),
      fc.uuid(),
    )
    .map(([before, calls, isReversed, after, id]): readonly Turn[] => {
      const results = calls.map(
        (call, at): ToolResultPart => ({
          kind: 'tool_result',
          callId: `${id}_${at}`,
          name: undefined,
          parts: [
            { kind: 'text', text: call.output },
            ...(call.image ? [{ kind: 'image' as const, source: call.image }] : []),
          ],
          isError: call.isError,
        }),
      );
      return [
        {
          role: 'assistant',
          parts: [
            ...textsOf(before),
            ...calls.map((call, at) => ({
              kind: 'tool_call' as const,
              id: `${id}_${at}`,
              name: call.name,
              arguments: call.arguments,
            })),
          ],
        },
        {
          role: 'user',
          parts: [...(isReversed ? results.toReversed() : results), ...textsOf(after)],
        },
      ];
    });
}

function textsOf(each: string | undefined): readonly TurnPart[] {
  return each === undefined ? [] : [{ kind: 'text', text: each }];
}

function turnsOf(has: Has): fc.Arbitrary<readonly Turn[]> {
  return fc
    .tuple(
      text,
      fc.array(mediaOf(has), { maxLength: 2 }),
      fc.array(roundOf(has), { maxLength: 2 }),
      fc.tuple(text, maybe(has('refusals'), text)),
    )
    .map(([question, media, rounds, [last, refusal]]): readonly Turn[] => [
      { role: 'user', parts: [...textsOf(question), ...media] },
      ...rounds.flat(),
      {
        role: 'assistant',
        parts: [
          ...textsOf(last),
          ...(refusal === undefined ? [] : [{ kind: 'refusal' as const, text: refusal }]),
        ],
      },
      { role: 'user', parts: [{ kind: 'text', text: 'Go on.' }] },
    ]);
}

/** Requests that lose nothing on the way through both dialects. */
export function requestsOf(first: DialectName, second: DialectName): fc.Arbitrary<NeutralRequest> {
  const has: Has = (name) => FEATURES[first].includes(name) && FEATURES[second].includes(name);
  const levels = LEVELS[first].filter((level) => LEVELS[second].includes(level));
  const fraction = fc.constantFrom(-0.5, 0.5, 1);
  const schema = word.map((name) => ({
    type: 'object',
    properties: { [name]: { type: 'string' } },
  }));
  return fc
    .record({
      model: fc.constant('m'),
      isStream: fc.constant(false),
      system: fc
        .array(text, { maxLength: has('several instructions') ? 3 : 1 })
        .map((texts) => texts.map((each) => ({ kind: 'text' as const, text: each }))),
      turns: turnsOf(has),
      tools: fc.array(
        fc.record({
          name: word,
          description: fc.option(text, { nil: undefined }),
          parameters: schema,
          isStrict: maybe(has('strict schemas'), fc.boolean()),
        }),
        { maxLength: 3 },
      ),
      toolChoice: fc.constantFrom<NeutralRequest['toolChoice'][]>(
        undefined,
        { kind: 'auto' },
        { kind: 'none' },
        { kind: 'required' },
        { kind: 'tool', name: 'look' },
      ),
      allowsParallelCalls: maybe(has('no parallel calls'), fc.boolean()),
      maxOutputTokens: fc.integer({ min: 2000, max: 4000 }),
      temperature: fc.option(fc.constantFrom(0, 0.5, 1), { nil: undefined }),
      topP: fc.option(fc.constantFrom(0.1, 0.9), { nil: undefined }),
      topK: maybe(has('top k'), fc.integer({ min: 1, max: 40 })),
      seed: maybe(has('seed and penalties'), fc.nat()),
      presencePenalty: maybe(has('seed and penalties'), fraction),
      frequencyPenalty: maybe(has('seed and penalties'), fraction),
      stopSequences: has('stop sequences') ? fc.array(text, { maxLength: 4 }) : fc.constant([]),
      reasoning: fc.option(
        fc
          .record({
            effort: fc.option(fc.constantFrom(...levels), { nil: undefined }),
            budgetTokens: fc.constant(undefined),
            isShown: has('shown thoughts') ? fc.boolean() : fc.constant(undefined),
          })
          .map((wish) => (wish.effort === 'none' ? { ...wish, isShown: false } : wish))
          .filter(({ effort, isShown }) => effort !== undefined || isShown === true),
        { nil: undefined },
      ),
      outputFormat: fc.option(
        fc.oneof<fc.Arbitrary<NonNullable<NeutralRequest['outputFormat']>>[]>(
          fc.record({
            kind: fc.constant('json_schema' as const),
            name: fc.option(word, { nil: undefined }),
            schema,
            isStrict: fc.option(fc.boolean(), { nil: undefined }),
          }),
          ...(has('JSON without a schema') ? [fc.constant({ kind: 'json' as const })] : []),
        ),
        { nil: undefined },
      ),
    })
    .map((request) => withoutConflicts(request, first === 'messages' || second === 'messages'));
}

/** Parallel calls need tools that may be called. Anthropic refuses thinking with a forced tool. */
function withoutConflicts(request: NeutralRequest, isAnthropic: boolean): NeutralRequest {
  const { toolChoice, tools } = request;
  const isForced = toolChoice?.kind === 'required' || toolChoice?.kind === 'tool';
  const canCall = tools.length > 0 && toolChoice?.kind !== 'none';
  return {
    ...request,
    allowsParallelCalls: canCall ? request.allowsParallelCalls : undefined,
    reasoning: isAnthropic && isForced ? undefined : request.reasoning,
  };
}

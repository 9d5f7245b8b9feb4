// Every request that translation writes could have been sent by the vendor's own SDK: it fits the vendor's published
// format, from whichever dialect it was translated.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyRequest } from '../../test/support/translation/random-conversations.ts';
import { VENDOR_REQUESTS } from '../../test/support/translation/vendor-requests.ts';
import { DIALECTS_BY_NAME } from './dialects.ts';
import { isObject } from './fields.ts';
import { Losses } from './losses.ts';
import {
  DIALECTS,
  type DialectName,
  EFFORTS,
  type JsonObject,
  type NeutralRequest,
  type TurnPart,
} from './neutral-request.ts';

const TERMS = { maxOutputTokens: 4096 };
const DATA = 'aGVsbG8=';

const media: fc.Arbitrary<TurnPart> = fc.constantFrom<TurnPart>(
  { kind: 'image', source: { kind: 'url', url: 'https://a.example/x.png' }, detail: 'low' },
  { kind: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data: DATA } },
  { kind: 'document', source: { kind: 'base64', mediaType: 'text/plain', data: DATA }, name: 'n' },
  { kind: 'document', source: { kind: 'url', url: 'https://a.example/x.pdf' } },
);

const thought: fc.Arbitrary<TurnPart> = fc.constantFrom<DialectName>(...DIALECTS).map((vendor) => ({
  kind: 'reasoning',
  text: 'Let me see.',
  signature: { vendor, data: 'cHJvb2Y=' },
  isRedacted: false,
}));

/** Every feature of the neutral form, beyond the conversations that survive every dialect. */
const extras = fc.record({
  model: fc.constantFrom('claude-sonnet-4-5', 'claude-opus-5', 'gpt-5', 'gemini-2.5-pro'),
  isStream: fc.boolean(),
  media: fc.option(media, { nil: undefined }),
  thought: fc.option(thought, { nil: undefined }),
  isStrict: fc.constantFrom(undefined, true, false),
  allowsParallelCalls: fc.constantFrom(undefined, true, false),
  topK: fc.constantFrom(undefined, 5),
  seed: fc.constantFrom(undefined, 7),
  presencePenalty: fc.constantFrom(undefined, 0.5),
  frequencyPenalty: fc.constantFrom(undefined, -0.5),
  stopSequences: fc.constantFrom([], ['END']),
  outputFormat: fc.constantFrom<NeutralRequest['outputFormat']>(
    undefined,
    { kind: 'json' },
    { kind: 'json_schema', name: 'answer', schema: { type: 'object' }, isStrict: true },
  ),
  reasoning: fc.option(
    fc.record({
      effort: fc.option(fc.constantFrom(...EFFORTS), { nil: undefined }),
      budgetTokens: fc.option(fc.integer({ min: 1024, max: 60_000 }), { nil: undefined }),
      isShown: fc.boolean(),
    }),
    { nil: undefined },
  ),
});

type Extras = typeof extras extends fc.Arbitrary<infer T> ? T : never;

function enrich(request: NeutralRequest, extra: Extras): NeutralRequest {
  const { media: picture, thought: own, isStrict, ...rest } = extra;
  const [first, ...others] = request.turns;
  const turns = [
    ...(first ? [{ ...first, parts: [...first.parts, ...(picture ? [picture] : [])] }] : []),
    ...others.map((turn) =>
      turn.role === 'assistant' && own ? { ...turn, parts: [own, ...turn.parts] } : turn,
    ),
  ];
  const tools = request.tools.map((tool) => ({ ...tool, isStrict }));
  return { ...request, ...rest, turns, tools };
}

function write(name: DialectName, request: NeutralRequest): JsonObject {
  const written = DIALECTS_BY_NAME[name].writeRequest(request, TERMS, new Losses('lenient'));
  const sent: unknown = JSON.parse(JSON.stringify(written));
  assert.ok(isObject(sent));
  return sent;
}

function assertValid(name: DialectName, sent: JsonObject): void {
  const checked = VENDOR_REQUESTS[name].safeParse(sent);
  assert.ok(checked.success, `${checked.error?.message} ${JSON.stringify(sent)}`);
}

for (const target of DIALECTS)
  test(`a request that is written as ${target} fits the vendor's format`, () => {
    fc.assert(
      fc.property(anyRequest, extras, (request, extra) => {
        assertValid(target, write(target, enrich(request, extra)));
      }),
      { numRuns: 300 },
    );
  });

for (const source of DIALECTS)
  for (const target of DIALECTS.filter((name) => name !== source))
    test(`a request that is read as ${source} and written as ${target} fits the vendor's format`, () => {
      fc.assert(
        fc.property(anyRequest, extras, (request, extra) => {
          const { model, isStream } = extra;
          const body = write(source, enrich(request, extra));
          const losses = new Losses('lenient');
          const read = DIALECTS_BY_NAME[source].readRequest(body, { model, isStream }, losses);
          assertValid(target, write(target, read));
        }),
        { numRuns: 60 },
      );
    });

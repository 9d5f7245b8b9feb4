// Random answers with the features that two dialects share. The table below lists each dialect's features; an answer
// uses only shared ones, so that a property compares it without exceptions.

import fc from 'fast-check';
import type {
  AnswerPart,
  NeutralAnswer,
  StopReason,
} from '../../../src/translation/neutral-answer.ts';
import type { DialectName, ReasoningPart } from '../../../src/translation/neutral-request.ts';
import { args, text, thought, word } from './random-parts.ts';

type Features = {
  readonly reasons: readonly StopReason[];
  /** Thoughts, texts and calls come in any order and any number; else one thought, one text, then calls. */
  readonly isOrdered: boolean;
  /** Whether a refusal has its own field. */
  readonly hasRefusals: boolean;
  readonly hasCacheWrites: boolean;
  /** A thought without a proof and the thought after it become one. */
  readonly joinsThoughts: boolean;
};

const REGULAR = ['end', 'max_tokens', 'tool_calls', 'filtered'] as const;

/** Anthropic has one reason for two neutral ones, `refusal` and `filtered`. */
const FEATURES: Readonly<Record<DialectName, Features>> = {
  messages: {
    reasons: [...REGULAR, 'stop_sequence', 'refusal', 'context_window', 'paused'],
    isOrdered: true,
    hasRefusals: false,
    hasCacheWrites: true,
    joinsThoughts: false,
  },
  chat: {
    reasons: [...REGULAR, 'refusal'],
    isOrdered: false,
    hasRefusals: true,
    hasCacheWrites: true,
    joinsThoughts: false,
  },
  responses: {
    reasons: [...REGULAR, 'refusal'],
    isOrdered: true,
    hasRefusals: true,
    hasCacheWrites: true,
    joinsThoughts: false,
  },
  generate: {
    reasons: REGULAR,
    isOrdered: true,
    hasRefusals: false,
    hasCacheWrites: false,
    joinsThoughts: true,
  },
};

const call = fc.record({
  kind: fc.constant('tool_call' as const),
  id: word,
  name: word,
  arguments: args,
});
const said = text.map((each) => ({ kind: 'text' as const, text: each }));
const refused = text.map((each) => ({ kind: 'refusal' as const, text: each }));

function partsFor({ isOrdered, joinsThoughts }: Features): fc.Arbitrary<readonly AnswerPart[]> {
  if (isOrdered)
    return fc
      .array(fc.oneof<fc.Arbitrary<AnswerPart>[]>(thought, said, call), { maxLength: 6 })
      .map((parts) =>
        parts.reduce<readonly AnswerPart[]>(
          (kept, part) => (isJoined(part, kept.at(-1), joinsThoughts) ? kept : [...kept, part]),
          [],
        ),
      );
  return fc
    .tuple(
      fc.option(thought, { nil: undefined }),
      fc.option(said, { nil: undefined }),
      fc.array(call, { maxLength: 3 }),
    )
    .map(([first, second, calls]) => [
      ...(first ? [first] : []),
      ...(second ? [second] : []),
      ...calls,
    ]);
}

/** Neighbouring texts are one part in every vendor's answers. */
function isJoined(part: AnswerPart, last: AnswerPart | undefined, joinsThoughts: boolean): boolean {
  if (part.kind === 'text') return last?.kind === 'text';
  if (part.kind !== 'reasoning' || !joinsThoughts) return false;
  return last?.kind === 'reasoning' && last.signature === undefined;
}

function shared(first: DialectName, second: DialectName): Features {
  const [one, other] = [FEATURES[first], FEATURES[second]];
  return {
    reasons: one.reasons.filter((reason) => other.reasons.includes(reason)),
    isOrdered: one.isOrdered && other.isOrdered,
    hasRefusals: one.hasRefusals && other.hasRefusals,
    hasCacheWrites: one.hasCacheWrites && other.hasCacheWrites,
    joinsThoughts: one.joinsThoughts || other.joinsThoughts,
  };
}

const count = fc.nat({ max: 100_000 });

/** Answers that lose nothing on the way through both dialects. */
export function answersOf(first: DialectName, second: DialectName): fc.Arbitrary<NeutralAnswer> {
  const features = shared(first, second);
  return fc
    .record({
      parts: partsFor(features),
      reason: fc.constantFrom(...features.reasons),
      sequence: text,
      refusal: refused,
      counts: fc.tuple(count, count, count, count, count),
    })
    .map(({ parts, reason: wanted, sequence, refusal, counts }) => {
      const isRefused = features.hasRefusals && wanted === 'refusal';
      const own = isRefused ? [...parts.filter(isThought), refusal] : parts;
      const reason = regular(wanted, own);
      const [input, cacheRead, cacheWrite, visible, reasoning] = counts;
      return {
        id: 'one',
        model: 'm',
        createdAt: 1_800_000_000_000,
        parts: own.map((part, at) =>
          part.kind === 'tool_call' ? { ...part, id: `call_${at}` } : part,
        ),
        stop: reason === 'stop_sequence' ? { reason, sequence } : { reason },
        usage: {
          input,
          cacheRead,
          cacheWrite: features.hasCacheWrites ? cacheWrite : 0,
          output: visible + reasoning,
          reasoning,
        },
      };
    });
}

/** A regular end of an answer with calls is `tool_calls` at every vendor, and the reason never occurs without calls. */
function regular(reason: StopReason, parts: readonly AnswerPart[]): StopReason {
  if (reason !== 'end' && reason !== 'tool_calls') return reason;
  return parts.some(({ kind }) => kind === 'tool_call') ? 'tool_calls' : 'end';
}

function isThought(part: AnswerPart): part is ReasoningPart {
  return part.kind === 'reasoning';
}

/** The meaning of an answer for a caller of these dialects. Each format makes new ids. */
export function comparableAnswer(
  { parts, stop, usage }: NeutralAnswer,
  ...dialects: readonly DialectName[]
): unknown {
  const own = parts.map((each) =>
    each.kind === 'tool_call'
      ? { ...each, id: '', arguments: JSON.parse(each.arguments) as unknown }
      : each,
  );
  const isOneReason = dialects.includes('messages') && stop.reason === 'filtered';
  return {
    parts: own,
    stop: { reason: isOneReason ? 'refusal' : stop.reason, sequence: stop.sequence },
    usage,
  };
}

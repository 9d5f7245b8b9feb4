// Gemini's generateContent answer ↔ the neutral form, whole. Only the first candidate has a neutral form. Gemini has no
// finish reason for function calls: an answer with a call that stopped regularly has the neutral reason `tool_calls`.

import { argumentsObject } from '../call-arguments.ts';
import { defined, Fields, lookUp } from '../fields.ts';
import { withPrefix } from '../ids.ts';
import type {
  AnswerPart,
  NeutralAnswer,
  NeutralUsage,
  Stop,
  StopReason,
} from '../neutral-answer.ts';
import type { JsonObject, ReasoningPart } from '../neutral-request.ts';
import { answeredProof, joinThoughts, thoughtOf, writeSigned } from './thought-signatures.ts';

export function readGenerateAnswer(body: JsonObject): NeutralAnswer {
  const fields = new Fields(body);
  const [candidate] = fields.objects('candidates');
  const parts = readParts(candidate?.object('content'), 0);
  const isBlocked = fields.object('promptFeedback')?.text('blockReason') !== undefined;
  const reason = isBlocked ? 'SAFETY' : candidate?.text('finishReason');
  return {
    id: fields.text('responseId') ?? '',
    model: fields.text('modelVersion') ?? '',
    createdAt: 0,
    parts: joinTexts(joinThoughts(parts)),
    stop: readStop(reason, parts),
    usage: readUsage(fields.object('usageMetadata')),
  };
}

/** `calls` counts the calls before these parts: calls without an id get one from their position. */
export function readParts(content: Fields | undefined, calls: number): readonly AnswerPart[] {
  let count = calls;
  return (content?.objects('parts') ?? []).flatMap((part): readonly AnswerPart[] => {
    const data = part.text('thoughtSignature');
    const text = part.text('text') ?? '';
    if (part.flag('thought') === true) return thoughtOf(text, data);
    const call = part.object('functionCall');
    if (!call) return [...thoughtOf('', data), ...(text === '' ? [] : [textPart(text)])];
    count += 1;
    return [...thoughtOf('', data), readCall(call, count)];
  });
}

function textPart(text: string): AnswerPart {
  return { kind: 'text', text };
}

function readCall(call: Fields, number: number): AnswerPart {
  return {
    kind: 'tool_call',
    id: call.text('id') ?? `call_${number}`,
    name: call.needName('name'),
    arguments: JSON.stringify(call.json('args') ?? {}),
  };
}

/** Gemini may split a text into parts without meaning. */
function joinTexts(parts: readonly AnswerPart[]): readonly AnswerPart[] {
  const joined: AnswerPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.kind === 'text' && last?.kind === 'text')
      joined[joined.length - 1] = { kind: 'text', text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

const STOPS: Readonly<Record<string, StopReason>> = {
  STOP: 'end',
  MAX_TOKENS: 'max_tokens',
  SAFETY: 'filtered',
  RECITATION: 'filtered',
  BLOCKLIST: 'filtered',
  PROHIBITED_CONTENT: 'filtered',
  SPII: 'filtered',
  IMAGE_SAFETY: 'filtered',
  LANGUAGE: 'filtered',
};

export function readStop(reason: string | undefined, parts: readonly AnswerPart[]): Stop {
  const known = lookUp(STOPS, reason ?? 'STOP') ?? 'end';
  const hasCall = parts.some(({ kind }) => kind === 'tool_call');
  return { reason: known === 'end' && hasCall ? 'tool_calls' : known };
}

export function readUsage(usage: Fields | undefined): NeutralUsage {
  const cacheRead = usage?.number('cachedContentTokenCount') ?? 0;
  const prompt =
    (usage?.number('promptTokenCount') ?? 0) + (usage?.number('toolUsePromptTokenCount') ?? 0);
  const reasoning = usage?.number('thoughtsTokenCount') ?? 0;
  return {
    input: Math.max(0, prompt - cacheRead),
    cacheRead,
    cacheWrite: 0,
    output: (usage?.number('candidatesTokenCount') ?? 0) + reasoning,
    reasoning,
  };
}

export function writeGenerateAnswer(answer: NeutralAnswer): JsonObject {
  return {
    candidates: [
      {
        content: { role: 'model', parts: writeSigned(answer.parts, writePart, answeredProof) },
        finishReason: finishReason(answer.stop),
        index: 0,
      },
    ],
    usageMetadata: writeUsage(answer.usage),
    modelVersion: answer.model,
    responseId: answer.id,
  };
}

type VisiblePart = Exclude<AnswerPart, ReasoningPart>;

export function writePart(part: VisiblePart): readonly JsonObject[] {
  if (part.kind !== 'tool_call') return [{ text: part.text }];
  const args = argumentsObject(part.arguments);
  return [{ functionCall: { id: withPrefix('', part.id), name: part.name, args } }];
}

const REASONS: Readonly<Record<StopReason, string>> = {
  end: 'STOP',
  max_tokens: 'MAX_TOKENS',
  stop_sequence: 'STOP',
  tool_calls: 'STOP',
  refusal: 'PROHIBITED_CONTENT',
  filtered: 'SAFETY',
  context_window: 'MAX_TOKENS',
  paused: 'STOP',
};

export function finishReason({ reason }: Stop): string {
  return REASONS[reason];
}

export function writeUsage(usage: NeutralUsage): JsonObject {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return defined({
    promptTokenCount: prompt,
    candidatesTokenCount: usage.output - usage.reasoning,
    thoughtsTokenCount: usage.reasoning || undefined,
    cachedContentTokenCount: usage.cacheRead || undefined,
    totalTokenCount: prompt + usage.output,
  });
}

// The neutral form → Gemini's generateContent request. Results of functions name their function, so the names of earlier
// calls are looked up; images of a result follow as the user's. Gemini wants alternating roles and at least one part in
// each content.

import { argumentsObject } from '../call-arguments.ts';
import { mayParseResults } from '../embedded-json.ts';
import { defined, isObject } from '../fields.ts';
import type { Losses } from '../losses.ts';
import { mergeTurns } from '../merge-turns.ts';
import type {
  JsonObject,
  MediaPart,
  NeutralRequest,
  ReasoningPart,
  ToolChoice,
  ToolDefinition,
  ToolResultPart,
  Turn,
  TurnPart,
} from '../neutral-request.ts';
import { writeGenerationConfig } from './generation-config.ts';
import { ownProof, signFirstCall, writeSigned } from './thought-signatures.ts';

export function writeGenerateRequest(
  request: NeutralRequest,
  _terms: unknown,
  losses: Losses,
): JsonObject {
  if (request.allowsParallelCalls === false) losses.drop('parallel_tool_calls');
  const { system, tools, toolChoice } = request;
  const calls = {
    byId: callsOf(request.turns),
    mayParseResults: mayParseResults(request.turns),
  };
  return defined({
    contents: mergeTurns(request.turns).flatMap((turn) => writeTurn(turn, calls, request.model)),
    systemInstruction:
      system.length === 0 ? undefined : { parts: system.map(({ text }) => ({ text })) },
    tools: tools.length === 0 ? undefined : [{ functionDeclarations: tools.map(writeTool) }],
    toolConfig: toolChoice && { functionCallingConfig: writeToolChoice(toolChoice) },
    generationConfig: writeGenerationConfig(request),
  });
}

type Calls = {
  readonly byId: ReadonlyMap<string, { readonly name: string; readonly position: number }>;
  readonly mayParseResults: boolean;
};

function callsOf(turns: readonly Turn[]): Calls['byId'] {
  const calls = new Map<string, { readonly name: string; readonly position: number }>();
  for (const { parts } of turns)
    for (const part of parts)
      if (part.kind === 'tool_call') calls.set(part.id, { name: part.name, position: calls.size });
  return calls;
}

/** Results have no ids here, so results of one function stand in the order of its calls. */
function inOrder(parts: readonly TurnPart[], calls: Calls): readonly TurnPart[] {
  const positionOf = ({ callId }: ToolResultPart) =>
    calls.byId.get(callId)?.position ?? Number.MAX_SAFE_INTEGER;
  const results = parts
    .filter((part) => part.kind === 'tool_result')
    .sort((one, other) => positionOf(one) - positionOf(other))
    .values();
  return parts.map((part) => (part.kind === 'tool_result' ? (results.next().value ?? part) : part));
}

function writeTurn(
  { role: given, parts }: Turn,
  calls: Calls,
  model: string,
): readonly JsonObject[] {
  // A thought of another vendor says nothing to Gemini.
  const known = inOrder(parts, calls).filter(
    (part) => part.kind !== 'reasoning' || ownProof(part.signature),
  );
  const written = writeSigned(
    known,
    (part) => writePart(part, calls),
    ({ signature }) => ownProof(signature),
  );
  if (written.length === 0) return [];
  const role = given === 'assistant' ? 'model' : 'user';
  return [{ role, parts: signFirstCall(model, written) }];
}

function writePart(part: Exclude<TurnPart, ReasoningPart>, calls: Calls): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [{ text: part.text }];
    case 'image':
    case 'document':
      return [writeMedia(part)];
    case 'tool_call':
      return [{ functionCall: { name: part.name, args: argumentsObject(part.arguments) } }];
    case 'tool_result':
      return writeResult(part, calls);
  }
}

/** Other vendors' documents behind URLs are PDFs; Gemini detects the type of an image. */
const ASSUMED = { image: undefined, document: 'application/pdf' } as const;

function writeMedia({ kind, source, name }: MediaPart): JsonObject {
  if (source.kind === 'base64')
    return {
      inlineData: defined({ mimeType: source.mediaType, data: source.data, displayName: name }),
    };
  return {
    fileData: defined({
      mimeType: source.mediaType ?? ASSUMED[kind],
      fileUri: source.url,
      displayName: name,
    }),
  };
}

function writeResult(
  { callId, name, parts, isError }: ToolResultPart,
  calls: Calls,
): readonly JsonObject[] {
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
  const media = parts.flatMap((part) => (part.kind === 'text' ? [] : [writeMedia(part)]));
  const isParsed = calls.mayParseResults && !isError;
  const response = isParsed ? responseOf(text) : { [isError ? 'error' : 'output']: text };
  const functionResponse = { name: name ?? calls.byId.get(callId)?.name ?? callId, response };
  return [{ functionResponse }, ...media];
}

/**
 * Gemini requires an object; a result that is an object is passed as such, unless it has the form of a wrapped text.
 */
function responseOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && !isWrapper(value)) return value;
  } catch {
    // Not JSON: a plain text.
  }
  return { output: text };
}

function isWrapper(value: JsonObject): boolean {
  const [only, ...others] = Object.entries(value);
  return others.length === 0 && (only?.[0] === 'error' || typeof only?.[1] === 'string');
}

function writeTool({ name, description, parameters }: ToolDefinition): JsonObject {
  return defined({ name, description, parametersJsonSchema: parameters });
}

function writeToolChoice(choice: ToolChoice): JsonObject {
  switch (choice.kind) {
    case 'auto':
      return { mode: 'AUTO' };
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
  }
}

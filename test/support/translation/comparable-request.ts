// The meaning of a request to a provider of the given dialects: defaults are stated, neighbouring turns of one role are one,
// and calls have their position as id, because every format makes ids of its own.

import { effortOf } from '../../../src/translation/effort.ts';
import { mergeTurns } from '../../../src/translation/merge-turns.ts';
import type {
  DialectName,
  NeutralRequest,
  Turn,
  TurnPart,
} from '../../../src/translation/neutral-request.ts';

const OPENAI: readonly DialectName[] = ['chat', 'responses'];

export function comparableRequest(
  given: NeutralRequest,
  ...dialects: readonly DialectName[]
): unknown {
  const isOpenai = dialects.every((name) => OPENAI.includes(name));
  const { reasoning, outputFormat, toolChoice } = given;
  const calls = given.turns.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'tool_call' ? [part.id] : [])),
  );
  const compared = {
    ...given,
    turns: mergeTurns(given.turns).map((turn) => comparableTurn(turn, calls)),
    tools: given.tools.map((tool) => ({ ...tool, isStrict: tool.isStrict ?? false })),
    toolChoice: toolChoice ?? { kind: 'auto' },
    allowsParallelCalls: given.allowsParallelCalls ?? true,
    reasoning: reasoning && {
      effort: levelOf(reasoning),
      // Chat Completions has no field for it.
      isShown: dialects.includes('chat') ? undefined : reasoning.isShown,
    },
    // Only OpenAI's formats name a schema and choose whether it is strict.
    outputFormat:
      outputFormat?.kind === 'json_schema'
        ? {
            kind: outputFormat.kind,
            schema: outputFormat.schema,
            name: isOpenai ? (outputFormat.name ?? 'answer') : undefined,
            isStrict: isOpenai ? outputFormat.isStrict : undefined,
          }
        : outputFormat,
  };
  return JSON.parse(JSON.stringify(compared));
}

function levelOf({ effort, budgetTokens }: NonNullable<NeutralRequest['reasoning']>): unknown {
  return effort ?? (budgetTokens === undefined ? undefined : effortOf(budgetTokens));
}

/** The order of tool results has no meaning. */
function comparableTurn({ role, parts }: Turn, calls: readonly string[]): unknown {
  const results = parts.flatMap((part) => (part.kind === 'tool_result' ? [part] : []));
  const others = parts.filter((part) => part.kind !== 'tool_result');
  return {
    role,
    results: results
      .map((part) => ({ ...part, name: undefined, callId: calls.indexOf(part.callId) }))
      .sort((one, other) => one.callId - other.callId)
      .map((part) => ({ ...part, parts: part.parts.map((each) => comparablePart(each, calls)) })),
    parts: others.map((part) => comparablePart(part, calls)),
  };
}

function comparablePart(part: TurnPart, calls: readonly string[]): unknown {
  if (part.kind === 'tool_call')
    return { ...part, id: calls.indexOf(part.id), arguments: JSON.parse(part.arguments) };
  if (part.kind !== 'image' && part.kind !== 'document') return part;
  const { source, detail } = part;
  // OpenAI's default; the media type of a URL is stated by Gemini only.
  const { mediaType, ...rest } = source;
  return {
    ...part,
    source: source.kind === 'url' ? rest : { ...rest, mediaType },
    detail: detail === 'auto' ? undefined : detail,
  };
}

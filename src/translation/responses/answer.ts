// OpenAI's response ↔ the neutral form, whole. Ids of items are made from the response's id and their position, so that a
// stream and its final response agree.

import { defined, Fields, isObject, lookUp } from '../fields.ts';
import { withPrefix } from '../ids.ts';
import type {
  AnswerPart,
  NeutralAnswer,
  NeutralUsage,
  Stop,
  StopReason,
} from '../neutral-answer.ts';
import type { JsonObject } from '../neutral-request.ts';
import { unwrapFreeform, wrapFreeform } from './freeform.ts';
import { answeredReasoning, readReasoningItem } from './reasoning-item.ts';

export function readResponsesAnswer(body: JsonObject): NeutralAnswer {
  const fields = new Fields(body);
  const parts = fields.objects('output').flatMap(readItem);
  return {
    id: fields.text('id') ?? '',
    model: fields.text('model') ?? '',
    createdAt: (fields.number('created_at') ?? 0) * 1000,
    parts,
    stop: readStop(fields, parts),
    usage: readUsage(fields.object('usage')),
  };
}

export function readItem(item: Fields): readonly AnswerPart[] {
  switch (item.text('type') ?? '') {
    case 'message':
      return item.objects('content').flatMap(readContent);
    case 'function_call':
      return [readCall(item, item.text('arguments') ?? '{}')];
    case 'custom_tool_call':
      return [readCall(item, wrapFreeform(item.text('input') ?? ''))];
    case 'reasoning':
      return [readReasoningItem(item)];
    default:
      return [];
  }
}

function readContent(part: Fields): readonly AnswerPart[] {
  if (part.text('type') === 'refusal')
    return [{ kind: 'refusal', text: part.text('refusal') ?? '' }];
  return [{ kind: 'text', text: part.text('text') ?? '' }];
}

function readCall(item: Fields, text: string): AnswerPart {
  return {
    kind: 'tool_call',
    id: item.needText('call_id'),
    name: item.needName('name'),
    arguments: text,
  };
}

const INCOMPLETE: Readonly<Record<string, StopReason>> = {
  max_output_tokens: 'max_tokens',
  content_filter: 'filtered',
};

export function readStop(response: Fields, parts: readonly AnswerPart[]): Stop {
  const reason = response.object('incomplete_details')?.text('reason');
  if (reason !== undefined) return { reason: lookUp(INCOMPLETE, reason) ?? 'max_tokens' };
  if (parts.some(({ kind }) => kind === 'tool_call')) return { reason: 'tool_calls' };
  return { reason: parts.some(({ kind }) => kind === 'refusal') ? 'refusal' : 'end' };
}

export function readUsage(usage: Fields | undefined): NeutralUsage {
  const details = usage?.object('input_tokens_details');
  const cacheRead = details?.number('cached_tokens') ?? 0;
  const cacheWrite = details?.number('cache_write_tokens') ?? 0;
  return {
    input: Math.max(0, (usage?.number('input_tokens') ?? 0) - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite,
    output: usage?.number('output_tokens') ?? 0,
    reasoning: usage?.object('output_tokens_details')?.number('reasoning_tokens') ?? 0,
  };
}

export function writeResponsesAnswer(answer: NeutralAnswer): JsonObject {
  const { id, model, createdAt, stop, usage } = answer;
  const output = answer.parts.map((part, index) => writeItem(part, itemId(id, part.kind, index)));
  return writeResponse({ id, model, createdAt }, { stop, usage, output });
}

export type ResponseHead = Pick<NeutralAnswer, 'id' | 'model' | 'createdAt'>;

export type ResponseEnd = {
  readonly stop: Stop;
  readonly usage: NeutralUsage;
  readonly output: readonly JsonObject[];
};

/** Without an end the response is in progress. */
export function writeResponse(
  { id, model, createdAt }: ResponseHead,
  end: ResponseEnd | undefined,
): JsonObject {
  const reason = end && incompleteReason(end);
  return {
    id: withPrefix('resp_', id),
    object: 'response',
    created_at: Math.floor(createdAt / 1000),
    status: end === undefined ? 'in_progress' : reason === undefined ? 'completed' : 'incomplete',
    background: false,
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model,
    output: end?.output ?? [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    service_tier: 'default',
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: end === undefined ? null : writeUsage(end.usage),
    user: null,
  };
}

/** A refusal in the model's own words is a complete answer; a refusal without text counts as filtered. */
function incompleteReason({ stop: { reason }, output }: ResponseEnd): string | undefined {
  if (reason === 'max_tokens' || reason === 'context_window') return 'max_output_tokens';
  const isFiltered = reason === 'filtered' || (reason === 'refusal' && !output.some(isRefusal));
  return isFiltered ? 'content_filter' : undefined;
}

function isRefusal(item: JsonObject): boolean {
  const { content } = item;
  return (
    Array.isArray(content) && content.some((part) => isObject(part) && part['type'] === 'refusal')
  );
}

const ITEM_PREFIXES: Readonly<Record<AnswerPart['kind'], string>> = {
  text: 'msg_',
  refusal: 'msg_',
  tool_call: 'fc_',
  reasoning: 'rs_',
};

export function itemId(responseId: string, kind: AnswerPart['kind'], index: number): string {
  return `${withPrefix(ITEM_PREFIXES[kind], responseId)}_${index}`;
}

export function writeItem(part: AnswerPart, id: string): JsonObject {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return {
        id,
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [writeContent(part)],
      };
    case 'tool_call':
      return writeCall(part, id);
    case 'reasoning':
      return answeredReasoning(part, id);
  }
}

export function writeContent(part: Extract<AnswerPart, { kind: 'text' | 'refusal' }>): JsonObject {
  if (part.kind === 'refusal') return { type: 'refusal', refusal: part.text };
  return { type: 'output_text', text: part.text, annotations: [], logprobs: [] };
}

function writeCall(part: Extract<AnswerPart, { kind: 'tool_call' }>, id: string): JsonObject {
  const { name, arguments: text } = part;
  const call = { id, status: 'completed', call_id: withPrefix('call_', part.id), name };
  const input = unwrapFreeform(text);
  return input === undefined
    ? { ...call, type: 'function_call', arguments: text }
    : { ...call, type: 'custom_tool_call', input };
}

function writeUsage(usage: NeutralUsage): JsonObject {
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  return defined({
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite,
    },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.output,
  });
}

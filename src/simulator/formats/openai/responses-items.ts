// The response object of OpenAI's Responses API and its output items, open and closed.

import type { Answer } from '../../answers.ts';

export type OutputItem = {
  readonly kind: 'reasoning' | 'message' | 'function_call';
  /** Identifies the pieces that belong to this item. */
  readonly key: unknown;
  readonly id: string;
  readonly text: string;
  readonly name: string;
  readonly callId: string;
};

export function itemsOf(answer: Answer): readonly OutputItem[] {
  const items: OutputItem[] = [];
  const { id, thinking, text } = answer;
  const nameless = { name: '', callId: '' };
  if (thinking !== '')
    items.push({ kind: 'reasoning', key: 'thinking', id: `rs_${id}`, text: thinking, ...nameless });
  if (text !== '' || answer.toolCalls.length === 0)
    items.push({ kind: 'message', key: 'text', id: `msg_${id}`, text, ...nameless });
  for (const call of answer.toolCalls)
    items.push({
      kind: 'function_call',
      key: call,
      id: `fc_${call.id}`,
      text: call.inputJson,
      name: call.name,
      callId: `call_${call.id}`,
    });
  return items;
}

export function openItem(item: OutputItem): unknown {
  const { id } = item;
  if (item.kind === 'reasoning') return { id, type: 'reasoning', summary: [] };
  if (item.kind === 'message')
    return { id, type: 'message', status: 'in_progress', role: 'assistant', content: [] };
  return { ...callOf(item), status: 'in_progress', arguments: '' };
}

export function closedItem(item: OutputItem): unknown {
  const { id, text } = item;
  if (item.kind === 'reasoning')
    return { id, type: 'reasoning', summary: [{ type: 'summary_text', text }] };
  if (item.kind === 'function_call')
    return { ...callOf(item), status: 'completed', arguments: text };
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
  return { id, type: 'message', status: 'completed', role: 'assistant', content };
}

/** The finished calls of the provider's own tools. */
export function toolCallItems({ id, usage }: Answer): readonly unknown[] {
  const calls = (count: number, prefix: string, fields: Record<string, unknown>) =>
    Array.from({ length: count }, (_, index) => ({
      id: `${prefix}_${id}${index}`,
      ...fields,
      status: 'completed',
    }));
  const action = { type: 'search', query: 'spillway' };
  return [
    ...calls(usage.webSearches, 'ws', { type: 'web_search_call', action }),
    ...calls(usage.fileSearches, 'fs', { type: 'file_search_call', queries: ['spillway'] }),
  ];
}

function callOf(item: OutputItem) {
  return { id: item.id, type: 'function_call', call_id: item.callId, name: item.name };
}

export function responseOf(answer: Answer, context: 'open' | 'final') {
  const isOpen = context === 'open';
  const reason = isOpen ? undefined : INCOMPLETE_REASONS.get(answer.stopReason);
  return {
    id: `resp_${answer.id}`,
    object: 'response',
    created_at: Math.floor(answer.createdAt / 1000),
    status: isOpen ? 'in_progress' : reason === undefined ? 'completed' : 'incomplete',
    background: false,
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    instructions: null,
    max_output_tokens: null,
    model: answer.model,
    output: isOpen ? [] : [...toolCallItems(answer), ...itemsOf(answer).map(closedItem)],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    service_tier: answer.usage.serviceTier ?? 'default',
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: isOpen ? null : usageOf(answer),
    user: null,
    metadata: {},
  };
}

/** The summary is opaque to the caller. */
export function compactionOf(answer: Answer) {
  const { id, createdAt, text } = answer;
  const summary = Buffer.from(text).toString('base64');
  return {
    id: `resp_${id}`,
    object: 'response.compaction',
    created_at: Math.floor(createdAt / 1000),
    output: [{ id: `cmp_${id}`, type: 'compaction', encrypted_content: summary }],
    usage: usageOf(answer),
  };
}

const INCOMPLETE_REASONS: ReadonlyMap<string, string> = new Map([
  ['max_tokens', 'max_output_tokens'],
  ['refusal', 'content_filter'],
]);

function usageOf(answer: Answer): unknown {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = answer.usage;
  const { audioInputTokens, imageInputTokens, thinkingTokens } = answer.usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: {
      cached_tokens: cacheReadTokens,
      cache_write_tokens: cacheWriteTokens,
      ...(audioInputTokens > 0 ? { audio_tokens: audioInputTokens } : {}),
      ...(imageInputTokens > 0 ? { image_tokens: imageInputTokens } : {}),
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: thinkingTokens },
    total_tokens: inputTokens + outputTokens,
  };
}

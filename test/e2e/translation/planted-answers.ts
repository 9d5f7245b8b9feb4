// Answers and streams of each vendor with a canary in every place that is the vendor's own: ids, model names, unknown
// fields, headers.

export type Vendor = 'anthropic' | 'openai' | 'gemini';

export const ANSWERS: Readonly<Record<Vendor, object>> = {
  anthropic: {
    id: 'msg_canary',
    type: 'message',
    role: 'assistant',
    model: 'canary-model',
    content: [
      { type: 'text', text: 'Good day', citations: ['canary'] },
      { type: 'tool_use', id: 'toolu_canary', name: 'look', input: {} },
      { type: 'canary', canary: 'canary' },
    ],
    stop_reason: 'tool_use',
    container: { id: 'canary' },
    usage: { input_tokens: 3, output_tokens: 4, service_tier: 'canary', canary: 1 },
    canary: 'canary',
  },
  openai: {
    id: 'chatcmpl-canary',
    object: 'canary',
    created: 1,
    model: 'canary-model',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'Good day',
          annotations: ['canary'],
          tool_calls: [
            { id: 'call_canary', type: 'function', function: { name: 'look', arguments: '{}' } },
          ],
          canary: 'canary',
        },
        finish_reason: 'tool_calls',
        logprobs: { canary: 1 },
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, canary: 1 },
    system_fingerprint: 'fp_canary',
    service_tier: 'canary',
    provider: 'canary',
  },
  gemini: {
    responseId: 'canary',
    modelVersion: 'canary-model',
    candidates: [
      {
        index: 0,
        content: {
          role: 'model',
          parts: [
            { text: 'Good day', canary: 'canary' },
            { functionCall: { id: 'canary', name: 'look', args: {} } },
          ],
        },
        finishReason: 'STOP',
        avgLogprobs: 1,
        groundingMetadata: { canary: 'canary' },
      },
    ],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, trafficType: 'canary' },
  },
};

export function sse(...events: readonly object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

export const STREAMS: Readonly<Record<Vendor, string>> = {
  anthropic: sse(
    { type: 'message_start', message: ANSWERS.anthropic, canary: 'canary' },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'Good day', canary: 'canary' },
    },
    { type: 'content_block_stop', index: 0, canary: 'canary' },
    { type: 'canary', canary: 'canary' },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } },
    { type: 'message_stop', canary: 'canary' },
  ),
  openai: `${sse(
    {
      id: 'chatcmpl-canary',
      model: 'canary-model',
      system_fingerprint: 'fp_canary',
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Good day', canary: 'canary' } }],
    },
    { id: 'canary', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { id: 'canary', choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
  )}: canary\n\ndata: [DONE]\n\n`,
  gemini: sse({ ...ANSWERS.gemini, canary: 'canary' }),
};

export const LEAKY_HEADERS = {
  'x-canary': 'canary',
  server: 'canary',
  'request-id': 'canary',
  'anthropic-organization-id': 'canary',
  'openai-organization': 'canary',
  'set-cookie': 'canary=1',
};

/** The stream up to its first content, without any end. */
export function begun(vendor: Vendor): string {
  const at = STREAMS[vendor].indexOf('Good day');
  const end = STREAMS[vendor].indexOf('\n\n', at) + 2;
  const first = STREAMS[vendor].slice(0, end);
  return vendor === 'gemini' ? first.replace('"finishReason":"STOP",', '') : first;
}

// One plain request per wire format, and the signs of a clean or failed end in its answer.

import assert from 'node:assert/strict';

export type Format = 'anthropic' | 'openai' | 'gemini';
export const FORMATS: readonly Format[] = ['anthropic', 'openai', 'gemini'];
/** Text that only a complete stream contains. */
export const CLEAN_END: Record<Format, string> = {
  anthropic: 'message_stop',
  openai: '[DONE]',
  gemini: 'finishReason',
};

export function requestIn(format: Format, isStream: boolean): { path: string; body: object } {
  const messages = [{ role: 'user', content: 'Hello' }];
  switch (format) {
    case 'anthropic':
      return {
        path: '/v1/messages',
        body: { model: 'claude-sonnet-5-5', max_tokens: 60, messages, stream: isStream },
      };
    case 'openai':
      return {
        path: '/v1/chat/completions',
        body: { model: 'gpt-5-mini', messages, stream: isStream },
      };
    case 'gemini': {
      const action = isStream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      return {
        path: `/v1beta/models/gemini-2.5-flash:${action}`,
        body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
      };
    }
  }
}

/** The error in the last event, in any format. */
export function lastEvent(body: string): Record<string, unknown> {
  const data = body
    .trimEnd()
    .split('\n')
    .findLast((line) => line.startsWith('data: '));
  const parsed: unknown = JSON.parse(data?.slice(6) ?? 'null');
  assert.ok(typeof parsed === 'object' && parsed !== null && 'error' in parsed, body.slice(-500));
  const { error } = parsed;
  assert.ok(typeof error === 'object' && error !== null);
  const details: unknown = Reflect.get(error, 'details');
  // Gemini errors carry the Spillway error in their details.
  const inner: unknown = Array.isArray(details) ? JSON.stringify(details) : '';
  return { ...error, ...(String(inner).includes('partial') ? { partial: true } : {}) };
}

// Every failure fixture as a scripted provider response, and calls to the AI endpoint of each format.

import { FAILURES } from '../../../src/errors/fixtures/all-failures.ts';
import { type PlantedResponse, plant } from './canaries.ts';
import type { CallerAnswer, SealedRig } from './sealed-rig.ts';

export const FIXTURES = Object.values(FAILURES).flat();
export const SCRIPT: readonly PlantedResponse[] = FIXTURES.map(plant);

export const ENDPOINTS = {
  anthropic: {
    model: 'claude-sonnet-5-5',
    path: () => '/v1/messages',
    body: { max_tokens: 40, messages: [{ role: 'user', content: 'Hello' }] },
  },
  openai: {
    model: 'gpt-5-mini',
    path: () => '/v1/chat/completions',
    body: { messages: [{ role: 'user', content: 'Hello' }] },
  },
  gemini: {
    model: 'gemini-2.5-flash',
    path: (isStream: boolean) =>
      `/v1beta/models/gemini-2.5-flash:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  },
} as const;

export type Format = keyof typeof ENDPOINTS;
export const FORMATS: readonly Format[] = ['anthropic', 'openai', 'gemini'];

export function callThrough(
  rig: SealedRig,
  format: Format,
  isStream: boolean,
  extra: object = {},
  onHead: () => void = () => {},
): Promise<CallerAnswer> {
  const { model, path, body } = ENDPOINTS[format];
  const named = format === 'gemini' ? {} : { model, ...(isStream && { stream: true }) };
  return rig.call('POST', path(isStream), { ...named, ...body, ...extra }, { onHead });
}

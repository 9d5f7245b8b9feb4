// The SDKs of the vendors and of Vercel, in programs/call-sdk.ts. They are development dependencies of the repository.

import { join } from 'node:path';
import type { Client, Ended, ProviderName, Sight } from './client.ts';

const PROGRAM = join(import.meta.dirname, 'programs', 'call-sdk.ts');

const MODELS = {
  anthropic: 'claude-sonnet-5-5',
  openai: 'gpt-5-mini',
  gemini: 'gemini-2.5-flash',
} as const;

export const SDKS: readonly Client[] = [
  sdk('@anthropic-ai/sdk', 'anthropic'),
  sdk('openai', 'openai'),
  sdk('openai responses', 'openai'),
  sdk('@google/genai', 'gemini'),
  sdk('ai (anthropic)', 'anthropic'),
  sdk('ai (openai)', 'openai'),
  sdk('ai (google)', 'gemini'),
];

function sdk(name: string, provider: ProviderName): Client {
  return {
    name,
    kind: 'sdk',
    provider,
    model: MODELS[provider],
    prepare: ({ endpoint, model, isStream }) => ({
      file: process.execPath,
      args: [PROGRAM, name, endpoint.url, endpoint.apiKey, model, isStream ? 'stream' : 'unary'],
      env: {},
    }),
    read: readLine,
  };
}

/** The programs print one line of JSON. */
export function readLine({ code, stdout, stderr }: Ended): Sight {
  if (code === undefined) return { outcome: 'waiting', text: 'no answer within the time limit' };
  const line = stdout.trim().split('\n').at(-1) ?? '';
  const seen: unknown = line.startsWith('{') ? JSON.parse(line) : undefined;
  if (typeof seen !== 'object' || seen === null)
    return { outcome: 'error', text: stderr.trim().split('\n').at(-1) ?? '' };
  const field = (name: string) => String(Reflect.get(seen, name) ?? '');
  const errorClass = field('errorClass');
  const common = { text: field('text'), callSeconds: Number(field('seconds')) };
  return errorClass === ''
    ? { outcome: 'answer', ...common }
    : { outcome: 'error', errorClass, ancestors: field('ancestors').split(','), ...common };
}

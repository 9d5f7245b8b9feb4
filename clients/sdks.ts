// The SDKs of the vendors and of Vercel, in programs/call-sdk.ts. They are development dependencies of the repository.

import { join } from 'node:path';
import type { Client, Ended, ProviderName, Run, Sight } from './client.ts';

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
  { ...sdk('@google/genai', 'gemini'), isSingleAttempt: true },
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
    prepare: (run) => ({
      file: process.execPath,
      args: [PROGRAM, ...sdkArguments(name, run)],
      env: {},
    }),
    read: readLine,
  };
}

/** The arguments of the programs in programs/. */
export function sdkArguments(name: string, run: Run): readonly string[] {
  const { endpoint, model, isStream, requests } = run;
  const mode = isStream ? 'stream' : 'unary';
  return [name, endpoint.url, endpoint.apiKey, model, mode, String(requests)];
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
  if (errorClass === '' && common.text === '')
    return { ...common, outcome: 'error', text: 'an empty answer, without an error' };
  return errorClass === ''
    ? { outcome: 'answer', ...common }
    : { outcome: 'error', errorClass, ancestors: field('ancestors').split(','), ...common };
}

// The models in each provider's list. The simulator accepts any other model name too.

import type { Dialect } from './model-request.ts';

const NAMES = {
  anthropic: ['claude-opus-4-8', 'claude-sonnet-5', 'claude-haiku-4-5'],
  openai: ['gpt-5.1', 'gpt-5.1-mini', 'gpt-4o', 'gpt-4o-mini', 'o4-mini', 'text-embedding-3-small'],
  gemini: ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.5-flash-lite', 'gemini-embedding-001'],
} as const satisfies Record<Dialect, readonly string[]>;

/** 2025-01-01, so that the list is the same in every run. */
const CREATED_SECONDS = 1_735_689_600;

export function modelsList(dialect: Dialect): unknown {
  const data = NAMES[dialect].map((name) => modelOf(dialect, name));
  if (dialect === 'gemini') return { models: data };
  if (dialect === 'openai') return { object: 'list', data };
  const [first] = NAMES.anthropic;
  return { data, has_more: false, first_id: first, last_id: NAMES.anthropic.at(-1) };
}

export function modelOf(dialect: Dialect, name: string): unknown {
  if (dialect === 'openai')
    return { id: name, object: 'model', created: CREATED_SECONDS, owned_by: 'simulator' };
  if (dialect === 'anthropic')
    return { type: 'model', id: name, display_name: name, created_at: '2025-01-01T00:00:00Z' };
  return {
    name: `models/${name}`,
    version: '001',
    displayName: name,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
  };
}

// The Python clients, in programs/call_sdk.py, with the Python of the cache folder.

import { join } from 'node:path';
import type { Client, ProviderName } from './client.ts';
import { readLine, sdkArguments } from './sdks.ts';

const PROGRAM = join(import.meta.dirname, 'programs', 'call_sdk.py');

export const PYTHON: readonly Client[] = [
  python('anthropic (Python)', 'anthropic', 'anthropic', 'claude-sonnet-5-5'),
  python('openai (Python)', 'openai', 'openai', 'gpt-5-mini'),
  once(python('google-genai (Python)', 'google-genai', 'gemini', 'gemini-2.5-flash')),
  once(python('litellm', 'litellm', 'anthropic', 'claude-sonnet-5-5')),
  python('langchain-anthropic', 'langchain-anthropic', 'anthropic', 'claude-sonnet-5-5'),
  python('langchain-openai', 'langchain-openai', 'openai', 'gpt-5-mini'),
  python('llama-index', 'llama-index-llms-openai', 'openai', 'gpt-5-mini'),
  python('instructor', 'instructor', 'openai', 'gpt-5-mini'),
];

function once(client: Client): Client {
  return { ...client, isSingleAttempt: true };
}

function python(name: string, pip: string, provider: ProviderName, usual: string): Client {
  return {
    name,
    kind: 'python',
    provider,
    model: usual,
    install: { pip },
    prepare: (run) => ({
      file: join(run.cache, 'venv', 'bin', 'python'),
      args: [PROGRAM, ...sdkArguments(name, run)],
      // litellm fetches its list of prices otherwise.
      env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    }),
    read: readLine,
  };
}

// aider, a command-line agent from PyPI. It pins its dependencies and therefore gets a Python environment of its own. It exits
// with code 0 after failures too; only an answer has a line with the received tokens.

import { join } from 'node:path';
import type { Client, Ended, Sight } from './client.ts';

const VENV = 'venv-aider';

export const AIDER: Client = {
  name: 'aider',
  kind: 'agent',
  provider: 'anthropic',
  model: 'claude-sonnet-5-5',
  install: { pip: 'aider-chat', venv: VENV },
  prepare: ({ endpoint, model, cache, prompt = 'Say hello' }) => ({
    file: join(cache, VENV, 'bin', 'aider'),
    args: ['--message', prompt, '--model', `anthropic/${model}`, ...WITHOUT_TERMINAL],
    env: {
      ANTHROPIC_API_KEY: endpoint.apiKey,
      ANTHROPIC_API_BASE: endpoint.url,
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    },
  }),
  read,
};

const WITHOUT_TERMINAL = [
  '--yes-always',
  '--no-git',
  '--no-pretty',
  '--no-check-update',
  '--no-show-release-notes',
  '--no-show-model-warnings',
  '--analytics-disable',
];

function read({ code, stdout, stderr }: Ended): Sight {
  const lines = `${stderr}\n${stdout}`.split('\n').map((line) => line.trim());
  if (lines.some((line) => /^Tokens: .* received/.test(line)))
    return { outcome: 'answer', text: lines.findLast((line) => line !== '') ?? '' };
  const cause = lines.findLast((line) => CAUSE.test(line)) ?? '(nothing)';
  return { outcome: code === undefined ? 'waiting' : 'error', text: cause };
}

/** The sentence that aider adds to an error of litellm, or that error itself. */
const CAUSE = /^The API provider|^Model .* has hit a token limit|^litellm\.\w+Error/;

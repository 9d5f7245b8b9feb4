// The command-line agents, without a terminal. Their configuration is the one that their documents give for a gateway;
// telemetry and updates are off.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AIDER } from './aider.ts';
import type { Client, Command, Ended, Run, Sight } from './client.ts';

const PROMPT = 'Say hello';

const claudeCode: Client = {
  name: 'Claude Code',
  kind: 'agent',
  provider: 'anthropic',
  model: 'claude-sonnet-5-5',
  install: { npm: '@anthropic-ai/claude-code', bin: 'claude' },
  prepare: (run) =>
    agent(run, 'claude', ['-p', ...continuation(run), promptOf(run), '--model', run.model], {
      ANTHROPIC_BASE_URL: run.endpoint.url,
      ANTHROPIC_API_KEY: run.endpoint.apiKey,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
    }),
  read,
};

const codex: Client = {
  name: 'Codex',
  kind: 'agent',
  provider: 'openai',
  model: 'gpt-5-mini',
  install: { npm: '@openai/codex', bin: 'codex' },
  prepare(run) {
    const settings = [
      `model = "${run.model}"`,
      'model_provider = "tested"',
      '[model_providers.tested]',
      'name = "tested"',
      `base_url = "${run.endpoint.url}/v1"`,
      'env_key = "TESTED_KEY"',
      'wire_api = "responses"',
      '[analytics]',
      'enabled = false',
    ];
    writeHome(run, '.codex/config.toml', settings.join('\n'));
    const args = ['exec', '--skip-git-repo-check', promptOf(run)];
    return agent(run, 'codex', args, { TESTED_KEY: run.endpoint.apiKey });
  },
  read,
};

const geminiCli: Client = {
  name: 'Gemini CLI',
  kind: 'agent',
  provider: 'gemini',
  model: 'gemini-2.5-flash',
  install: { npm: '@google/gemini-cli', bin: 'gemini' },
  prepare(run) {
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
    };
    writeHome(run, '.gemini/settings.json', JSON.stringify(settings));
    return agent(run, 'gemini', ['-p', promptOf(run), '-m', run.model, '--skip-trust'], {
      GEMINI_API_KEY: run.endpoint.apiKey,
      GOOGLE_GEMINI_BASE_URL: run.endpoint.url,
    });
  },
  read,
};

const opencode: Client = {
  name: 'opencode',
  kind: 'agent',
  provider: 'anthropic',
  model: 'claude-sonnet-5-5',
  install: { npm: 'opencode-ai', bin: 'opencode' },
  prepare(run) {
    const { url, apiKey } = run.endpoint;
    const model = `anthropic/${run.model}`;
    const anthropic = {
      npm: '@ai-sdk/anthropic',
      options: { baseURL: `${url}/v1`, apiKey },
      models: { [run.model]: { name: run.model, limit: { context: 200_000, output: 8_000 } } },
    };
    const settings = { autoupdate: false, provider: { anthropic }, model, small_model: model };
    writeHome(run, '.config/opencode/opencode.json', JSON.stringify(settings));
    return agent(run, 'opencode', ['run', ...continuation(run), promptOf(run)], {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    });
  },
  read,
};

export const AGENTS: readonly Client[] = [claudeCode, codex, geminiCli, opencode, AIDER];

function promptOf({ prompt = PROMPT }: Run): string {
  return prompt;
}

/** Claude Code and opencode have the same option. */
function continuation({ isContinued = false }: Run): readonly string[] {
  return isContinued ? ['--continue'] : [];
}

function agent(run: Run, bin: string, args: readonly string[], env: Command['env']): Command {
  return { file: join(run.cache, 'node_modules', '.bin', bin), args, env };
}

function writeHome(run: Run, name: string, text: string): void {
  const file = join(run.home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Lines that an agent prints in every run. */
const NOISE =
  /^$|^[-=> ]+$|^Reading |^OpenAI Codex|^workdir:|^model:|^provider:|^approval:|^sandbox:|^reasoning|^session id:|^user$|^Say hello$|^codex$|^tokens used|^[\d,]+$|^warning: (?:Codex could not find|Model metadata)|^Warning: (?:Basic terminal|256-color)|^Ripgrep|^> build|^An unexpected critical error|Attempt \d+ failed|^at |^[\])}]+,?$|node:internal/;

/** Gemini CLI writes the error after the name of a file. */
const REPORT_PLACE = /^Error when talking to Gemini API Full report available at: \S+ /;

/** Most agents write the cause last. */
function read({ code, stdout, stderr }: Ended): Sight {
  const lines = strip(`${stderr}\n${stdout}`)
    .split('\n')
    .map((line) => line.trim().replace(REPORT_PLACE, ''))
    .filter((line) => !NOISE.test(line));
  const text = lines.at(-1) ?? '(nothing)';
  const error =
    lines.findLast((line) => /^_?\w*Error: /.test(line)) ??
    lines.findLast((line) => /error|limit|fail|retry|again/i.test(line)) ??
    text;
  // Gemini CLI ends with code 0 after a stream without content.
  if (code === 0 && !text.startsWith('[ERROR]')) return { outcome: 'answer', text };
  return { outcome: code === undefined ? 'waiting' : 'error', text: error };
}

function strip(text: string): string {
  // Terminal colours.
  return text.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g'), '');
}

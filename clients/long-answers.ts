// Healthy answers that take minutes, in real time, through Spillway: `spillway clients --long`. The provider sends a known
// text, so that a missing character shows. The SDKs run with their timeout raised as their documentation says.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/kernel/clock.ts';
import { startSimulator } from '../src/simulator/simulator.ts';
import type { Command, Endpoint } from './client.ts';
import { withSpillway } from './gateway-side.ts';
import { runProcess } from './run-process.ts';
import { readLine } from './sdks.ts';

export type LongAnswer = {
  readonly client: string;
  readonly kind: 'unary' | 'stream';
  readonly expectedSeconds: number;
  readonly seconds: number;
  /** Provider calls. */
  readonly calls: number;
  readonly isWhole: boolean;
  /** The error, if there is one. */
  readonly text: string;
};

type LongCall = Pick<LongAnswer, 'client' | 'kind' | 'expectedSeconds'> & {
  readonly model: string;
};

const CLAUDE = 'claude-sonnet-5-5';
const GPT = 'gpt-5-mini';

const LONG_CALLS: readonly LongCall[] = [
  { client: '@anthropic-ai/sdk', kind: 'unary', expectedSeconds: 65, model: CLAUDE },
  { client: 'openai', kind: 'unary', expectedSeconds: 65, model: GPT },
  { client: '@google/genai', kind: 'unary', expectedSeconds: 65, model: 'gemini-2.5-flash' },
  { client: 'openai', kind: 'unary', expectedSeconds: 300, model: GPT },
  { client: 'anthropic (Python)', kind: 'unary', expectedSeconds: 300, model: CLAUDE },
  { client: '@anthropic-ai/sdk', kind: 'stream', expectedSeconds: 1_200, model: CLAUDE },
  { client: 'openai (Python)', kind: 'stream', expectedSeconds: 1_200, model: GPT },
];

export const LONG_ANSWER_CLIENTS: ReadonlySet<string> = new Set(
  LONG_CALLS.map(({ client }) => client),
);

const CLIENT_TIMEOUT_MS = 1_800_000;
const NUMBERS = 1_200;
const TEXT = Array.from({ length: NUMBERS }, (_, index) => `${index + 1} `).join('');

/** The calls run concurrently, because they only wait. */
export function measureLongAnswers(cache: string): Promise<readonly LongAnswer[]> {
  return Promise.all(LONG_CALLS.map((call) => measure(call, cache)));
}

async function measure(call: LongCall, cache: string): Promise<LongAnswer> {
  const { client, kind, expectedSeconds } = call;
  const folder = mkdtempSync(join(tmpdir(), 'spillway-long-'));
  const home = join(folder, 'home');
  mkdirSync(home);
  const provider = await startSimulator({ clock: systemClock });
  try {
    provider.setScenario({ text: TEXT, ...paceOf(call) });
    const seen = await withSpillway(provider.url, folder, async ({ endpoint }) => {
      const command = commandOf(call, endpoint, cache);
      return readLine(await runProcess(command, home, CLIENT_TIMEOUT_MS));
    });
    const isWhole = seen.outcome === 'answer' && seen.text === TEXT;
    const text = isWhole ? '' : seen.text.slice(-200);
    const seconds = seen.callSeconds ?? CLIENT_TIMEOUT_MS / 1000;
    const calls = provider.stats().requests;
    return { client, kind, expectedSeconds, seconds, calls, isWhole, text };
  } finally {
    await provider.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function paceOf({ kind, expectedSeconds }: LongCall): object {
  if (kind === 'unary') return { latencyMs: expectedSeconds * 1000 };
  return { chunks: NUMBERS, chunkDelayMs: (expectedSeconds * 1000) / NUMBERS };
}

function commandOf({ client, model, kind }: LongCall, endpoint: Endpoint, cache: string): Command {
  const isPython = client.endsWith('(Python)');
  const program = isPython ? 'await_answer.py' : 'await-answer.ts';
  const { url, apiKey } = endpoint;
  const call = [client, url, apiKey, model, kind, String(CLIENT_TIMEOUT_MS)];
  return {
    file: isPython ? join(cache, 'venv', 'bin', 'python') : process.execPath,
    args: [join(import.meta.dirname, 'programs', program), ...call],
    env: {},
  };
}

// The provider of a run: `spillway simulate` in its own process, which enforces its limit and keeps the truth log. No
// row kills it, because its log is the evidence.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { endProcess } from '../../bench/processes/end-process.ts';

const MAIN = fileURLToPath(new URL('../../bin/spillway.mjs', import.meta.url));
const PAGE = 5_000;

const Address = z.object({ url: z.string() });
const Stats = z.object({ requests: z.number(), inFlight: z.number() });
const Call = z.object({
  sequence: z.number(),
  startedAt: z.number(),
  abortedAt: z.number().nullable(),
  provider: z.string(),
  model: z.string().nullable(),
  status: z.number().nullable(),
  outcome: z.string(),
  bodyDigest: z.string().nullable(),
  inputTokens: z.number(),
  outputTokens: z.number(),
});
const Page = z.object({ data: z.array(Call) });

/** The fields of a truth log entry that the judge reads. */
export type Call = z.infer<typeof Call>;

export type Provider = {
  readonly url: string;
  /** One scenario, or a list that replaces all scenarios. */
  play(scenario: object): Promise<void>;
  /** Every call since the log was last cleared. */
  calls(): Promise<Call[]>;
  stats(): Promise<{ readonly requests: number; readonly inFlight: number }>;
  clear(): Promise<void>;
  close(): Promise<void>;
};

export async function startProvider(): Promise<Provider> {
  const child = spawn(process.execPath, [MAIN, 'simulate', '--port', '0', '--json'], {
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await addressOf(child);
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const answer = await fetch(`${url}/_simulator/${path}`, init);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`The simulator refused ${path}: ${text.slice(0, 300)}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    url,
    play: async (scenario) =>
      void (await ask('scenario', { method: 'PUT', body: JSON.stringify(scenario) })),
    stats: async () => Stats.parse(await ask('stats')),
    clear: async () => void (await ask('log', { method: 'DELETE' })),
    async calls() {
      const all: Call[] = [];
      for (;;) {
        const since = all.at(-1)?.sequence ?? 0;
        const { data } = Page.parse(await ask(`log?since=${since}&limit=${PAGE}`));
        all.push(...data);
        if (data.length < PAGE) return all;
      }
    },
    close: () => endProcess(child),
  };
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The simulator has no output');
  const lines = createInterface(child.stdout);
  const ended = once(child, 'exit').then(() => {
    throw new Error('The simulator ended before it was ready');
  });
  const [line] = await Promise.race([once(lines, 'line'), ended]);
  return Address.parse(JSON.parse(String(line))).url;
}

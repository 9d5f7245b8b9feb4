// Whether an agent compacts its conversation when the context window overflows: `spillway clients --compaction`. Three turns
// of long text build a conversation; the provider refuses the fourth once. An agent that compacts asks for a summary and
// sends its request again, shorter. Measured against the provider itself and through Spillway.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/kernel/clock.ts';
import { type Simulator, startSimulator } from '../src/simulator/simulator.ts';
import type { Client, Ended, Endpoint } from './client.ts';
import { withSpillway } from './gateway-side.ts';
import { type RecordedRequest, recordRequests } from './record-requests.ts';
import { runProcess } from './run-process.ts';

export type Compaction = {
  readonly client: string;
  readonly side: 'direct' | 'gateway';
  /** Of the fourth turn: bytes and status of each request, and whether it asks for a summary. */
  readonly requests: readonly TurnRequest[];
  readonly hasCompacted: boolean;
  /** The last line that the user sees. */
  readonly text: string;
};

export type TurnRequest = {
  readonly bytes: number;
  readonly status: number;
  readonly asksForSummary: boolean;
};

export const COMPACTING_AGENTS: readonly string[] = ['Claude Code', 'opencode'];

const TIME_LIMIT_MS = 120_000;
/** One argument of a command holds at most 128 KiB. */
const LONG_TEXT = 'The quick brown fox jumps over the lazy dog. '.repeat(2_200);
/** Claude Code and opencode accept it as the summary that they asked for. */
const SUMMARY =
  '<analysis>Three texts about a fox.</analysis>\n<summary>1. Primary Request and Intent: the user sent a text about a ' +
  'fox three times. 9. Next Step: answer the last message.</summary>';

export async function measureCompaction(
  agents: readonly Client[],
  cache: string,
): Promise<readonly Compaction[]> {
  const measured: Compaction[] = [];
  for (const agent of agents)
    for (const side of ['direct', 'gateway'] as const)
      measured.push(await measureSide(agent, side, cache));
  return measured;
}

async function measureSide(
  agent: Client,
  side: Compaction['side'],
  cache: string,
): Promise<Compaction> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-compaction-'));
  const home = join(folder, 'home');
  mkdirSync(home);
  const provider = await startSimulator({ clock: systemClock });
  const play = (endpoint: Endpoint) => overflow(agent, provider, { endpoint, home, cache });
  try {
    const played =
      side === 'direct'
        ? await play({ url: provider.url, apiKey: 'sk-direct-key' })
        : await withSpillway(provider.url, folder, ({ endpoint }) => play(endpoint));
    return { client: agent.name, side, ...played };
  } finally {
    await provider.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

type Surroundings = { readonly endpoint: Endpoint; readonly home: string; readonly cache: string };

async function overflow(
  agent: Client,
  provider: Simulator,
  { endpoint, home, cache }: Surroundings,
): Promise<Pick<Compaction, 'requests' | 'hasCompacted' | 'text'>> {
  const recorder = await recordRequests(endpoint.url);
  const place = { endpoint: { ...endpoint, url: recorder.url }, home, cache };
  const turn = (prompt: string, isContinued: boolean): Promise<Ended> => {
    const run = { ...place, model: agent.model, isStream: true, requests: 1, prompt, isContinued };
    return runProcess(agent.prepare(run), home, TIME_LIMIT_MS);
  };
  try {
    for (const [index, word] of ['One', 'Two', 'Three'].entries())
      await turn(`${word}: ${LONG_TEXT}`, index > 0);
    const before = recorder.recorded().length;
    provider.setScenario({ sequence: [{ preset: 'context-too-long' }, { text: SUMMARY }] });
    const { stdout } = await turn('Four: say hello', true);
    const requests = recorder.recorded().slice(before).filter(isModelCall).map(toTurnRequest);
    const text = stdout.trim().split('\n').at(-1) ?? '';
    return { requests, hasCompacted: isCompacted(requests), text };
  } finally {
    await recorder.close();
  }
}

function isModelCall({ path }: RecordedRequest): boolean {
  return /\/messages(?:\?|$)/.test(path);
}

function toTurnRequest({ body, status }: RecordedRequest): TurnRequest {
  const { messages = [] }: { messages?: unknown[] } = JSON.parse(body);
  const asksForSummary = SUMMARY_REQUEST.test(JSON.stringify(messages.at(-1)));
  return { bytes: body.length, status, asksForSummary };
}

/** From the instructions of Claude Code and of opencode. */
const SUMMARY_REQUEST = /followed by a <summary> block|Create a new anchored summary/;

/** The refused request, one that asks for a summary, and a shorter one that succeeds. */
function isCompacted(requests: readonly TurnRequest[]): boolean {
  const [refused, ...later] = requests;
  const last = later.at(-1);
  if (refused?.status !== 400 || last?.status !== 200) return false;
  return later.some((each) => each.asksForSummary) && last.bytes < refused.bytes;
}

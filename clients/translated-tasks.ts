// Agents on a vendor of another wire format: each works through a task of several tool calls, and the files that it wrote
// show that every call and result arrived. Run: `node clients/translated-tasks.ts FOLDER`, FOLDER being where the agents are
// installed (run-clients.ts installs them). Prints a row per agent and vendor; exits with 1 if a task failed.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENTS } from './agents.ts';
import type { Client } from './client.ts';
import { type GatewaySide, withSpillway } from './gateway-side.ts';
import { runProcess } from './run-process.ts';
import { DONE, startScriptedVendor } from './scripted-vendor.ts';

const TIME_LIMIT_MS = 120_000;
const STEPS = ['one', 'two', 'three'];
const PROMPT = 'Write three lines to steps.txt, one command at a time.';

const MODELS = {
  anthropic: 'claude-sonnet-5-5',
  openai: 'gpt-5-mini',
  gemini: 'gemini-3-pro-preview',
} as const;

/** The permission to run commands, which an agent without a terminal cannot ask for. */
const PERMISSIONS: Readonly<Record<string, readonly string[]>> = {
  'Claude Code': ['--allowedTools', 'Bash'],
  Codex: ['--sandbox', 'workspace-write'],
  opencode: [],
};

/** Codex offers tools that OpenAI runs in every request; an alias with `translate: lenient` leaves them out. */
const NEEDS_LENIENT: ReadonlySet<string> = new Set(['Codex']);

async function runTask(
  client: Client,
  provider: string,
  model: string,
  cache: string,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-task-'));
  const home = mkdtempSync(join(tmpdir(), 'spillway-home-'));
  const vendor = await startScriptedVendor(STEPS.map((step) => `echo ${step} >> steps.txt`));
  try {
    const config = join(folder, 'spillway.yaml');
    writeFileSync(
      config,
      `aliases: { task: { targets: [${provider}/${model}], translate: lenient } }`,
    );
    const run = async ({ endpoint }: GatewaySide) => {
      const command = client.prepare({
        endpoint,
        home,
        cache,
        prompt: PROMPT,
        model: NEEDS_LENIENT.has(client.name) ? 'task' : model,
        isStream: true,
        requests: 1,
      });
      const args = [...command.args, ...(PERMISSIONS[client.name] ?? [])];
      return runProcess({ ...command, args }, home, TIME_LIMIT_MS);
    };
    const ended = await withSpillway(vendor.url, folder, run, ['--config', config]);
    const output = ended.stdout + ended.stderr;
    const written = readWritten(home);
    if (written.join() === STEPS.join() && output.includes(DONE)) return 'ok';
    const lastLines = output.trim().split('\n').slice(-3).join(' / ').slice(0, 600);
    return `failed (code ${ended.code}, wrote ${written.join()}): ${lastLines}`;
  } finally {
    await vendor.close();
    for (const each of [folder, home]) rmSync(each, { recursive: true, force: true });
  }
}

function readWritten(home: string): readonly string[] {
  try {
    return readFileSync(join(home, 'steps.txt'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

const [cache = '', only] = process.argv.slice(2);
for (const client of AGENTS.filter(({ name }) => name in PERMISSIONS))
  for (const [vendor, model] of Object.entries(MODELS)) {
    if (only !== undefined && !`${client.name} ${vendor}`.includes(only)) continue;
    if (client.name !== 'opencode' && vendor === client.provider) continue;
    const result = await runTask(client, vendor, model, cache);
    if (result !== 'ok') process.exitCode = 1;
    process.stdout.write(`| ${client.name} | ${vendor} | ${result} |\n`);
  }

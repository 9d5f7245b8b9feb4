// Runs the commands and scripts of a document as a reader would: in a shell, in a folder of their own, against a fresh server.
// `spillway` and `npx spillway` are the checkout's. The server's addresses and keys replace the ones in the documents.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runSpillway } from '../../support/gateway/spillway-process.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import {
  asRenderingScript,
  installPackages,
  onPageOrigin,
  withAbsoluteImports,
  writePageOrigin,
} from './script-folder.ts';

export type CommandRunner = {
  /** Resolves to the command's output; rejects if it fails. */
  run(command: string): Promise<string>;
  /** Runs a program in the given language; rejects if it fails. */
  runScript(text: string, extension: 'ts' | 'js' | 'tsx'): Promise<string>;
  readonly folder: string;
  close(): Promise<void>;
};

const REPOSITORY = resolve(import.meta.dirname, '../../..');
const SPILLWAY = join(REPOSITORY, 'bin/spillway.mjs');

/** Commands that end only with a signal; their output says when they are ready. */
const RUNS_ON = /spillway (?:serve|simulate(?! scenario))\b/;
const READY = /is ready on|listens on/;

/** Files that the documents' commands read. */
const FILES = {
  'production.yaml': 'server:\n  drainTimeoutMs: 1s\n',
  'answer.json': '{"error":{"type":"rate_limit_error","message":"Too many requests"}}',
  'error.txt': 'Claude AI usage limit reached|1754636400\n',
  'failures.jsonl': '{"status":529,"body":"overloaded","expect":{"code":"AI_UNAVAILABLE"}}\n',
};

export async function openCommandRunner(): Promise<CommandRunner> {
  const folder = makeTempFolder();
  const dataDir = join(folder, '.spillway');
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  writeCommands(folder);
  installPackages(folder, REPOSITORY);
  const server = runSpillway(['serve'], { SPILLWAY_DATA_DIR: dataDir });
  const simulator = runOn(folder, 'spillway simulate --port 0 --json', dataDir);
  const url = await server.ready();
  const simulatorUrl = String(JSON.parse(await simulator.firstLine).url);
  const keys = {
    KEY: readFileSync(join(dataDir, 'api-key'), 'utf8').trim(),
    SPILLWAY_ADMIN_KEY: readFileSync(join(dataDir, 'admin-key'), 'utf8').trim(),
  };
  writePageOrigin(folder, url, keys.KEY);
  await submitJob(url, keys.KEY);
  let keyId = 'key_none';

  function fill(command: string): string {
    return command
      .replaceAll('http://127.0.0.1:8787', url)
      .replaceAll('http://127.0.0.1:8788', simulatorUrl)
      .replaceAll('sk-spill-…', keys.KEY)
      .replaceAll(/--port \d+/g, '--port 0')
      .replaceAll(/key_[0-9a-f]{32}/g, keyId);
  }

  return {
    folder,
    async run(command) {
      const filled = fill(command);
      const output = RUNS_ON.test(filled)
        ? await runUntilReady(folder, filled)
        : await finish(shell(folder, filled, dataDir, keys), command);
      keyId = /key_[0-9a-f]{32}/.exec(output)?.[0] ?? keyId;
      return output;
    },
    async runScript(text, extension) {
      const script = extension === 'tsx' ? await asRenderingScript(text) : text;
      const file = extension === 'tsx' ? 'script.js' : `script.${extension}`;
      const filled = withAbsoluteImports(fill(script), REPOSITORY);
      writeFileSync(join(folder, file), onPageOrigin(filled));
      return finish(shell(folder, `'${process.execPath}' ${file}`, dataDir, keys), text);
    },
    async close() {
      simulator.child.kill('SIGTERM');
      server.kill('SIGTERM');
      await Promise.all([simulator.ended, server.ended()]);
    },
  };
}

/** curl fails on an error status, as a reader would see one. */
function writeCommands(folder: string): void {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const scripts = {
    spillway: `exec '${process.execPath}' '${SPILLWAY}' "$@"`,
    npx: '"$@"',
  };
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  writeFileSync(join(folder, '.curlrc'), 'fail-with-body\nsilent\nnoproxy = "*"\n');
}

function shell(
  folder: string,
  command: string,
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const path = `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`;
  return spawn('bash', ['-o', 'pipefail', '-c', command], {
    cwd: folder,
    detached: true,
    env: { PATH: path, HOME: folder, PORT: '0', SPILLWAY_DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function finish(child: ChildProcess, command: string): Promise<string> {
  const output = collect(child);
  const [code] = await once(child, 'close');
  if (code === 0) return output.text();
  throw new Error(`${command}\nexits with ${code}: ${output.text()}`);
}

/** Its own data folder, because the folder of the running server is locked. */
async function runUntilReady(folder: string, command: string): Promise<string> {
  const { child, output, ended } = runOn(folder, command, join(folder, 'second'));
  await output.until(READY);
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  await ended;
  return output.text();
}

function runOn(folder: string, command: string, dataDir: string) {
  const child = shell(folder, `exec ${command}`, dataDir);
  const output = collect(child);
  // Listens from the start: `close` is emitted once.
  return { child, output, ended: once(child, 'close'), firstLine: output.until(/\n/) };
}

function collect(child: ChildProcess) {
  let text = '';
  const waiting: { readonly pattern: RegExp; readonly resolve: (text: string) => void }[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      for (const { pattern, resolve } of waiting) if (pattern.test(text)) resolve(text);
    });
  return {
    text: () => text,
    until: (pattern: RegExp): Promise<string> =>
      new Promise((resolve, reject) => {
        waiting.push({ pattern, resolve });
        child.once('close', () => reject(new Error(`ended before ${pattern}: ${text}`)));
      }),
  };
}

/** The job that the documents name. */
async function submitJob(url: string, key: string): Promise<void> {
  await fetch(`${url}/v1/jobs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'order-4711', model: 'gemini-2.5-flash', prompt: 'Hello' }),
  });
}

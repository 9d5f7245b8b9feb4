// The measured gateway: the real command in its own process, logging to a real file (log lines are part of its cost),
// with its data in a temporary folder. It runs inside that folder with an empty environment, so that no developer's
// .env or spillway.yaml changes the figures.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Subject } from '../subject.ts';
import { endProcess } from './end-process.ts';
import { freePort } from './free-port.ts';
import { BENCH_KEY, gatewayEnvironment, raiseLimits } from './gateway-settings.ts';

const READY_LIMIT_MS = 60_000;
const ASK_EVERY_MS = 100;
const MAIN = fileURLToPath(new URL('../../bin/spillway.mjs', import.meta.url));

export type GatewayOptions = {
  readonly folder: string;
  readonly upstreamPort: number;
  /** Settings of this row, such as the engines' URLs. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Where to write the gateway's CPU profile when it ends. Profiling costs CPU, so the figures are then not judged. */
  readonly profileFolder: string | undefined;
};

export async function startGateway({
  folder,
  upstreamPort,
  env,
  signal,
  profileFolder,
}: GatewayOptions): Promise<Subject> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const child = spawnGateway(
    folder,
    { ...gatewayEnvironment({ port, folder, upstreamPort }), ...env },
    profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`],
  );
  try {
    await untilReady(port, child, signal);
    await raiseLimits(port, AbortSignal.any([signal, AbortSignal.timeout(READY_LIMIT_MS)]));
  } catch (error) {
    await endProcess(child);
    throw new Error(`The gateway could not be measured: ${String(error)}. ${lastWords(folder)}`, {
      cause: error,
    });
  }
  const headers = { 'x-api-key': BENCH_KEY };
  return { name: 'gateway', pid: child.pid ?? 0, port, headers, stop: () => endProcess(child) };
}

function spawnGateway(
  folder: string,
  env: Record<string, string>,
  nodeOptions: readonly string[],
): ChildProcess {
  const out = openSync(join(folder, 'stdout.log'), 'a');
  const err = openSync(join(folder, 'stderr.log'), 'a');
  const child = spawn(process.execPath, [...nodeOptions, MAIN, 'serve'], {
    cwd: folder,
    env,
    stdio: ['ignore', out, err],
  });
  closeSync(out);
  closeSync(err);
  // A last resort, in case this process ends without stopping the gateway.
  const atExit = () => child.kill('SIGKILL');
  process.once('exit', atExit);
  child.once('exit', () => process.off('exit', atExit));
  return child;
}

async function untilReady(port: number, child: ChildProcess, signal: AbortSignal): Promise<void> {
  const ended = new AbortController();
  child.once('exit', (code, by) => ended.abort(new Error(`The gateway ended with ${code ?? by}`)));
  child.once('error', (error) => ended.abort(error));
  const limit = AbortSignal.any([signal, ended.signal, AbortSignal.timeout(READY_LIMIT_MS)]);
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: limit }).catch(
      () => undefined,
    );
    await answer?.body?.cancel();
    if (answer?.status === 200) return;
    await sleep(ASK_EVERY_MS).then(() => limit.throwIfAborted());
  }
}

/** The last lines of its log, so that a failed start explains itself. */
function lastWords(folder: string): string {
  const texts = ['stderr.log', 'stdout.log'].map((name) =>
    readFileSync(join(folder, name), 'utf8'),
  );
  return texts.join('').trim().split('\n').slice(-20).join('\n').slice(-2_000);
}

// The example shop as a child process, as a reader starts it, with a data folder that survives its restarts.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeTempFolder } from '../../support/temp-folder.ts';

export type ShopProcess = {
  readonly url: string;
  /** Lets the simulated provider have a good or a bad day. */
  rehearse(day: string, seconds?: number): Promise<void>;
  /** Ends the shop and Spillway as a deployment does, and starts both again at the same address. */
  restart(): Promise<void>;
  /** Ends Spillway without warning; resolves when the shop has started it again. */
  killSpillway(): Promise<void>;
  close(): Promise<void>;
};

const PROGRAM = join(
  resolve(import.meta.dirname, '../../..'),
  'examples/shop-assistant/server/main.ts',
);
const SPILLWAY_READY = /Spillway is ready on \S+ \(process (\d+)\)/g;

export async function startShop(): Promise<ShopProcess> {
  const dataDir = makeTempFolder();
  let shop = await start(dataDir, 0);
  const { url, port } = shop;

  async function stop(): Promise<void> {
    shop.child.kill('SIGTERM');
    await once(shop.child, 'exit');
  }

  return {
    url,
    async rehearse(day, seconds) {
      const answer = await fetch(`${url}/api/rehearsals`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ day, seconds }),
      });
      if (!answer.ok) throw new Error(`the rehearsal failed with ${answer.status}`);
    },
    async restart() {
      await stop();
      shop = await start(dataDir, port);
    },
    async killSpillway() {
      const pids = [...shop.output().matchAll(SPILLWAY_READY)];
      process.kill(Number(pids.at(-1)?.[1]), 'SIGKILL');
      await shop.until((output) => [...output.matchAll(SPILLWAY_READY)].length > pids.length);
    },
    async close() {
      await stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function start(dataDir: string, wantedPort: number) {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { PATH: process.env['PATH'], SHOP_DATA_DIR: dataDir, PORT: String(wantedPort) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { output, until } = watchOutput(child);
  await until((text) => text.includes('is open on'));
  const url = /is open on (\S+)/.exec(output())?.[1] ?? '';
  return { child, output, until, url, port: Number(new URL(url).port) };
}

function watchOutput(child: ChildProcess) {
  let text = '';
  let waiting: (() => void)[] = [];
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the shop ended: ${text}`);
  });
  ended.catch(() => {});
  return {
    output: () => text,
    until: async (isThere: (output: string) => boolean): Promise<void> => {
      while (!isThere(text))
        await Promise.race([new Promise<void>((resolve) => waiting.push(resolve)), ended]);
    },
  };
}

// Slow (about 10 s): kills a process that runs real servers before it can clean up.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { canConnect } from '../plans/probe-connection.ts';
import { listProcesses, membersOf, waitUntil } from './process-table.ts';

const program = fileURLToPath(new URL('../main.ts', import.meta.url));

test('when the owner of the services is killed, the reaper ends them and removes their folder', async () => {
  const owner = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'], SPILLWAY_NO_INSTALL: process.env['SPILLWAY_NO_INSTALL'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const urls: string[] = [];
    createInterface({ input: owner.stdout }).on('line', (line) => urls.push(urlIn(line)));
    let folder = '';
    for await (const line of createInterface({ input: owner.stderr })) {
      folder = /^Data and logs are in (.+)\.$/.exec(line)?.[1] ?? folder;
      if (line.startsWith('Running')) break;
    }
    const reapers = listProcesses().filter(
      ({ parentPid, command }) => parentPid === owner.pid && command.startsWith('node'),
    );
    const servers = membersOf([], folder);
    assert.ok(servers.length >= 4, 'Redis, RabbitMQ, its epmd and PostgreSQL are running');

    owner.kill('SIGKILL');

    const pids = new Set([...servers, ...reapers].map(({ pid }) => pid));
    const isAllGone = () =>
      !existsSync(folder) && !listProcesses().some(({ pid }) => pids.has(pid));
    assert.ok(await waitUntil(isAllGone, 30_000));
    assert.equal(urls.length, 3);
    for (const url of urls) {
      const { hostname, port } = new URL(url);
      assert.equal(await canConnect({ host: hostname, port: Number(port) }), false);
    }
  } finally {
    owner.kill('SIGKILL');
  }
});

function urlIn(line: string): string {
  return /^export [A-Z_]+='(.+)'$/.exec(line)?.[1] ?? '';
}

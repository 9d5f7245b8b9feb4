// Slow (about 15 s): starts, kills, freezes and ends real servers. Always private ones, even if the
// environment names others, because those must not be killed.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { canConnect } from './plans/probe-connection.ts';
import { freePorts } from './servers/free-ports.ts';
import { listProcesses, membersOf } from './servers/process-table.ts';
import type { ServiceHandle } from './service-handle.ts';
import { startServices } from './start-services.ts';

const env = { PATH: process.env['PATH'], SPILLWAY_NO_INSTALL: process.env['SPILLWAY_NO_INSTALL'] };
const log = () => {};

test('private servers survive kill, freeze and wipe, and leave nothing behind when closed', async () => {
  const services = await startServices({ env, log });
  const folder = services.folder ?? '';
  try {
    const servers = [services.redis, services.rabbitmq, services.postgres];
    await Promise.all(servers.map(killAndRestart));
    await Promise.all(servers.map(freezeAndThaw));
    await Promise.all([services.redis, services.postgres].map((server) => server.wipe()));
    assert.match(services.describe(), /Redis on 127\.0\.0\.1:\d+ \(private, process \d+\)/);
    const before = membersOf([], folder);
    assert.ok(
      before.some(({ command }) => command === 'epmd'),
      'RabbitMQ has an epmd of its own',
    );
    const segment = readFileSync(join(folder, 'postgres/data/postmaster.pid'), 'utf8').split(
      '\n',
    )[6];
    // The hardest case: one server is already dead and one hangs.
    await services.postgres.kill('SIGKILL');
    await services.redis.freeze();
    await services.close();
    await services.close();
    assertNothingLeft(
      folder,
      before.map(({ pid }) => pid),
      segment ?? '',
    );
    for (const { url } of servers) assert.equal(await canConnect(addressOf(url)), false);
  } finally {
    await services.close();
  }
});

async function killAndRestart(server: ServiceHandle): Promise<void> {
  await server.ping();
  const { pid, url } = server;
  await server.kill('SIGKILL');
  assert.equal(server.pid, undefined);
  await assert.rejects(server.ping());
  await server.restart();
  await server.ping();
  assert.notEqual(server.pid, pid);
  assert.equal(server.url, url);
}

async function freezeAndThaw(server: ServiceHandle): Promise<void> {
  await server.freeze();
  const states = listProcesses().filter(({ pid, parentPid }) =>
    [pid, parentPid].includes(server.pid ?? -1),
  );
  assert.ok(states.length > 0 && states.every(({ isStopped }) => isStopped), server.title);
  const answer = server.ping();
  await server.thaw();
  await answer;
}

function assertNothingLeft(folder: string, pids: readonly number[], segment: string): void {
  assert.equal(existsSync(folder), false, 'the folder is gone');
  const left = listProcesses().filter(({ pid }) => pids.includes(pid));
  assert.deepEqual(left, [], 'no process is left');
  if (!existsSync('/proc/sysvipc/shm')) return;
  const [key, id] = segment.trim().split(/\s+/);
  const segments = readFileSync('/proc/sysvipc/shm', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  assert.ok(
    !segments.some((fields) => fields[0] === key && fields[1] === id),
    'no shared memory is left',
  );
}

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

test('a server named by the environment is used and left untouched', async () => {
  const foreignServer = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => foreignServer.once('listening', resolve));
    const address = foreignServer.address();
    assert.ok(address !== null && typeof address === 'object');
    const url = `redis://:secret@127.0.0.1:${address.port}`;
    const services = await startServices({ env: { REDIS_URL: url }, log, wanted: ['redis'] });
    assert.equal(services.redisUrl, url);
    assert.equal(services.redis.isPrivate, false);
    assert.equal(services.folder, undefined);
    await assert.rejects(
      services.redis.kill(),
      /REDIS_URL names this Redis, so the tests must not change it/,
    );
    assert.throws(() => services.databaseUrl, /PostgreSQL was not requested/);
    await services.close();
    assert.equal(foreignServer.listening, true);
  } finally {
    foreignServer.close();
  }
});

test('an unreachable named server is reported in one message without its password', async () => {
  const [port] = await freePorts(1);
  const named = { REDIS_URL: `redis://:secret@127.0.0.1:${port}` };
  await assert.rejects(startServices({ env: named, log, wanted: ['redis'] }), {
    message: `REDIS_URL names a Redis on 127.0.0.1:${port}, which accepts no connection.`,
  });
});

test("a failed start reports the end of the server's log and leaves nothing behind", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spillway-broken-'));
  try {
    const program = '#!/bin/sh\necho "this machine is no good"\nexit 3\n';
    await writeFile(join(folder, 'redis-server'), program, { mode: 0o755 });
    const options = { env: { PATH: folder }, log, wanted: ['redis'] as const, usualFolders: [] };
    await assert.rejects(startServices(options), {
      message: 'Redis ended with code 3; the end of its log:\n  this machine is no good',
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

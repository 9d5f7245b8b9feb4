import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canConnect } from './plans/probe-connection.ts';
import { type Run, withServices } from './with-services.ts';

const env = { PATH: process.env['PATH'], SPILLWAY_NO_INSTALL: process.env['SPILLWAY_NO_INSTALL'] };

/** Only Redis, because it starts fastest. Remembers its port. */
function frame(run: Run): { code: Promise<number>; isUp: () => Promise<boolean> } {
  let port = 0;
  const noting: Run = (given, signal) => {
    port = Number(new URL(given['REDIS_URL'] ?? '').port);
    return run(given, signal);
  };
  const code = withServices(env, noting, { wanted: ['redis'], log: () => {} });
  return { code, isUp: () => canConnect({ host: '127.0.0.1', port }) };
}

test('the run gets the URLs, and its exit code is returned after the services are down', async () => {
  const { code, isUp } = frame(async (given) => {
    assert.equal(given['PATH'], env.PATH);
    assert.equal(await isUp(), true);
    return 7;
  });
  assert.equal(await code, 7);
  assert.equal(await isUp(), false);
});

test('the services stop if the run throws', async () => {
  const { code, isUp } = frame(() => Promise.reject(new Error('the run failed')));
  await assert.rejects(code, /the run failed/);
  assert.equal(await isUp(), false);
});

test('a signal aborts the run, and the services stop after it has ended', async () => {
  const { code, isUp } = frame(async (_given, signal) => {
    const told = new Promise((resolve) => signal.addEventListener('abort', resolve));
    process.kill(process.pid, 'SIGTERM');
    await told;
    return 1;
  });
  assert.equal(await code, 1);
  assert.equal(await isUp(), false);
});

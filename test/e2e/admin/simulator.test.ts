// The simulator under the gateway's own address, and the command that drives it.

import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import { runSpillway, type SpillwayProcess } from '../../support/gateway/spillway-process.ts';
import { makeTempFolder, tempFolder } from '../../support/temp-folder.ts';
import { openAdminRig } from './admin-rig.ts';
import { runCommand } from './run-command.ts';

let dataDir: string;
let server: SpillwayProcess;
let url: string;

before(async () => {
  dataDir = makeTempFolder();
  server = runSpillway(['serve', '--port', '0'], { SPILLWAY_DATA_DIR: dataDir, PORT: '1' });
  url = await server.ready();
});

after(async () => {
  server.kill('SIGTERM');
  await server.ended();
  rmSync(dataDir, { recursive: true, force: true });
});

const keyIn = (text: string) => /x-api-key: (\S+)'/.exec(text)?.[1] ?? '';

async function hello(): Promise<number> {
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': keyIn(server.output()), 'content-type': 'application/json' },
    body: '{"model":"claude-sonnet-5-5","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}',
  });
  await response.body?.cancel();
  return response.status;
}

test('the ready text names the simulator while it stands in, and --port wins over PORT', () => {
  assert.match(
    server.output(),
    /^ {2}Providers {3}the built-in simulator, because no provider key/m,
  );
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d{2,5}$/);
});

test('simulate scenario makes a provider of the running server fail and healthy again', async () => {
  assert.equal(await hello(), 200);
  const said = await runCommand(dataDir, [
    'simulate',
    'scenario',
    'usage-limit',
    '--provider',
    'anthropic',
    '--json',
  ]);
  assert.deepEqual(JSON.parse(said), {
    preset: 'usage-limit',
    provider: 'anthropic',
    resetInSeconds: 600,
  });
  assert.equal(await hello(), 429);
  const healthy = await runCommand(dataDir, ['simulate', 'scenario', 'healthy']);
  assert.match(
    healthy,
    /anthropic is not called before .*: spillway limits clear anthropic us-east/,
  );
  await runCommand(dataDir, ['limits', 'clear', 'anthropic', 'us-east']);
  assert.equal(await hello(), 200);
});

test('simulate scenario refuses an unknown preset and an unknown provider with the allowed ones', async () => {
  await assert.rejects(runCommand(dataDir, ['simulate', 'scenario', 'usage-limt']), {
    message: /nearest is usage-limit\. Presets: healthy, slow/,
  });
  await assert.rejects(runCommand(dataDir, ['simulate', 'scenario', 'hang', '--provider', 'x']), {
    message: /one of anthropic, openai, gemini/,
  });
});

test('the truth log and the scenarios are readable with the admin key only', async () => {
  const adminKey = readFileSync(join(dataDir, 'admin-key'), 'utf8').trim();
  const read = async (path: string, key?: string) => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    return fetch(`${url}/admin/simulator${path}`, { headers });
  };
  for (const path of ['/scenarios', '/scenario', '/log', '/stats'])
    assert.equal((await read(path)).status, 401, path);
  const log = z.object({ data: z.array(z.object({ provider: z.string() })) });
  const { data } = log.parse(await (await read('/log?limit=1', adminKey)).json());
  assert.deepEqual(data, [{ provider: 'anthropic' }]);
  assert.equal((await read('/log?limit=many', adminKey)).status, 400);
});

test('a server that calls its providers itself has no simulator endpoints', async () => {
  const rig = await openAdminRig();
  try {
    assert.equal((await rig.call('GET', '/admin/simulator/log')).status, 404);
    await assert.rejects(runCommand(rig.dataDir, ['simulate', 'scenario', 'hang']), {
      message: /calls real providers/,
    });
  } finally {
    await rig.close();
  }
});

test('simulate scenario without a running server names the remedy', async (t) => {
  await assert.rejects(runCommand(tempFolder(t), ['simulate', 'scenario', 'hang']), {
    message: 'No server is running; start it with: spillway serve',
  });
});

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, suite, test } from 'node:test';
import { LOCALHOST_CERTIFICATE } from '../../../test/support/localhost-certificate.ts';
import { tempFolder } from '../../../test/support/temp-folder.ts';
import { startForwardProxy } from '../../../test/support/upstream/forward-proxy.ts';
import {
  OK,
  onRequests,
  startRawServer,
  startSecureServer,
} from '../../../test/support/upstream/raw-server.ts';
import { send } from '../../../test/support/upstream/request.ts';
import { ConfigError } from '../../config/config-error.ts';
import { loadFrom } from '../../config/load-config.ts';
import { sourcesFrom } from '../../config/sources.ts';
import { systemClock } from '../../kernel/clock.ts';
import { openUpstream } from './open-upstream.ts';

const PROXY_LOOPBACK = { path: '/spillway.yaml', text: 'upstream: { proxyLoopback: true }' };

suite('the upstream of a configuration', () => {
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });

  async function started<S extends { close(): Promise<void> }>(starting: Promise<S>): Promise<S> {
    const server = await starting;
    opened.unshift(server);
    return server;
  }

  async function open(
    env: Readonly<Record<string, string | undefined>>,
    configFile = PROXY_LOOPBACK,
  ) {
    const { config } = loadFrom(sourcesFrom({ env, cwd: '/', configFile }));
    const upstream = await openUpstream(config, systemClock);
    opened.push(upstream);
    return upstream;
  }

  test('sends calls through the configured proxy, except to hosts of NO_PROXY', async () => {
    const provider = await started(startRawServer((socket) => socket.write(OK)));
    const proxy = await started(startForwardProxy());
    await send(await open({ http_proxy: proxy.origin }), provider.origin);
    assert.equal(proxy.requestLines.length, 1);
    await send(await open({ http_proxy: proxy.origin, NO_PROXY: '127.0.0.0/8' }), provider.origin);
    assert.equal(proxy.requestLines.length, 1);
  });

  test('reaches a provider on loopback directly by default', async () => {
    const provider = await started(startRawServer((socket) => socket.write(OK)));
    const proxy = await started(startForwardProxy());
    await send(
      await open({ HTTP_PROXY: proxy.origin }, { path: '/spillway.yaml', text: '' }),
      provider.origin,
    );
    assert.deepEqual(proxy.requestLines, []);
  });

  test('trusts the authorities of UPSTREAM_CA_FILE, directly and through a proxy', async (t) => {
    const provider = await started(
      startSecureServer((socket) => onRequests(socket, () => socket.write(OK))),
    );
    const proxy = await started(startForwardProxy());
    const caFile = join(tempFolder(t), 'ca.pem');
    writeFileSync(caFile, LOCALHOST_CERTIFICATE);
    for (const env of [{}, { HTTPS_PROXY: proxy.origin }]) {
      const response = await send(
        await open({ UPSTREAM_CA_FILE: caFile, ...env }),
        provider.origin,
      );
      assert.deepEqual(response, { status: 200, body: 'ok' });
    }
    assert.equal(proxy.requestLines.length, 1);
  });

  test('a CA file that is missing or has no certificate is a configuration error', async (t) => {
    const folder = tempFolder(t);
    const empty = join(folder, 'empty.pem');
    writeFileSync(empty, '');
    for (const path of [empty, join(folder, 'missing.pem')])
      await assert.rejects(open({ UPSTREAM_CA_FILE: path }), ConfigError);
  });
});

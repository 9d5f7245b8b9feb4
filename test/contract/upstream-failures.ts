// The part of the `Upstream` contract on failures: closed connections, malformed responses, timeouts, certificates.
// Failures are compared by the verdict of the error mapping, which is all that an attempt reads of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { mapProviderError } from '../../src/errors/map-provider-error.ts';
import type { Upstream } from '../../src/upstream/upstream.ts';
import { LOCALHOST_CERTIFICATE } from '../support/localhost-certificate.ts';
import {
  OK,
  onRequests,
  type RawServer,
  type Respond,
  startSecureServer,
  startSocketServer,
} from '../support/upstream/raw-server.ts';
import { send } from '../support/upstream/request.ts';

export type UpstreamOptions = {
  readonly connectTimeoutMs: number;
  readonly maxConnectionsPerOrigin: number;
  readonly ca?: readonly string[];
};

/** Everything that a test opens is closed after it. */
export type UpstreamRig = {
  open(options?: Partial<UpstreamOptions>): Upstream;
  serve(respond: Respond): Promise<RawServer>;
  started(starting: Promise<RawServer>): Promise<RawServer>;
};

const HEAD = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`;

export function testFailures(rig: UpstreamRig): void {
  const open: UpstreamRig['open'] = (options) => rig.open(options);
  const serve: UpstreamRig['serve'] = (respond) => rig.serve(respond);
  const started: UpstreamRig['started'] = (starting) => rig.started(starting);

  for (const [what, respond] of [
    ['before its response', (socket) => socket.end()],
    ['within its head', (socket) => socket.end(`${HEAD}cont`)],
    ['within its body', (socket) => socket.end(`${HEAD}content-length: 9\r\n\r\nhalf`)],
    ['within a chunk', (socket) => socket.end(`${CHUNKED}9\r\nha`)],
    ['before the last chunk', (socket) => socket.end(`${CHUNKED}2\r\nok\r\n`)],
  ] as const satisfies readonly (readonly [string, Respond])[]) {
    test(`a provider that closes the connection ${what} is lost, which is retryable`, async () => {
      const { origin } = await serve(respond);
      await assert.rejects(send(open(), origin), isVerdict('lost', true));
    });
  }

  for (const [what, response] of [
    ['another protocol', 'SSH-2.0-secret\r\n\r\n'],
    ['another HTTP version', 'HTTP/2 200 secret\r\n\r\n'],
    ['a status that is not a number', 'HTTP/1.1 20x secret\r\n\r\n'],
    ['a header without a name', `${HEAD}: secret\r\n\r\n`],
    ['a space before a colon', `${HEAD}content-length : 6\r\n\r\nsecret`],
    ['two lengths', `${HEAD}content-length: 1\r\ncontent-length: 6\r\n\r\nsecret`],
    ['a negative length', `${HEAD}content-length: -6\r\n\r\nsecret`],
    ['an oversized head', `${HEAD}x: ${'secret'.repeat(12_000)}\r\n\r\n`],
    ['a chunk size that is not a number', `${CHUNKED}zz\r\nsecret`],
    ['a chunk longer than its size', `${CHUNKED}3\r\nsecret\r\n0\r\n\r\n`],
  ] as const) {
    test(`${what} is a failure that carries none of the bytes`, async () => {
      const { origin } = await serve((socket) => socket.write(response));
      await assert.rejects(send(open(), origin), (error: Error) => {
        assert.doesNotMatch(inspect(error), /secret/);
        return isVerdict('lost', true)(error);
      });
    });
  }

  test('a refused connection is a retryable failure', async () => {
    const server = await startSocketServer(() => {});
    await server.close();
    await assert.rejects(send(open(), server.origin), (error) => mapProviderError(error).retryable);
  });

  test('a TLS handshake that never completes fails in the connect phase', async () => {
    const { port } = await started(startSocketServer(() => {}));
    const upstream = open({ connectTimeoutMs: 50 });
    await assert.rejects(send(upstream, `https://localhost:${port}`), isVerdict('connect', true));
  });

  test('a certificate of a configured authority is accepted', async () => {
    const { origin } = await started(
      startSecureServer((socket) => onRequests(socket, () => socket.write(OK))),
    );
    const upstream = open({ ca: [LOCALHOST_CERTIFICATE] });
    assert.deepEqual(await send(upstream, origin), { status: 200, body: 'ok' });
  });

  test('an untrusted certificate fails and is not retryable', async () => {
    const { origin } = await started(startSecureServer(() => {}));
    await assert.rejects(send(open(), origin), isVerdict('connect', false));
  });

  test('a certificate of another host fails and is not retryable', async () => {
    const { origin } = await started(startSecureServer(() => {}, '127.0.0.2'));
    const upstream = open({ ca: [LOCALHOST_CERTIFICATE] });
    await assert.rejects(send(upstream, origin), isVerdict('connect', false));
  });
}

function isVerdict(phase: string, retryable: boolean): (error: unknown) => boolean {
  return (error) => {
    const verdict = mapProviderError(error);
    assert.deepEqual(
      [verdict.code, verdict.params['phase'], verdict.retryable],
      ['NETWORK_TIMEOUT', phase, retryable],
      String(error),
    );
    return true;
  };
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '../../../test/support/test-clock.ts';
import { judgeProviderError } from '../../errors/map-provider-error.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { CredentialExchange, CredentialNews } from './credential-exchange.ts';
import { shareCredentials } from './share-credentials.ts';

const MINUTE_MS = 60_000;
const USE = { provider: 'anthropic', account: 'main', model: 'claude-a' };
const CAUSE = { status: 401, body: '{"error":{"type":"authentication_error","message":"no"}}' };
const { verdict, lesson } = judgeProviderError(CAUSE, { provider: 'anthropic' });
const REFUSAL = new SpillwayError(verdict.code, 'refused', { ...verdict, lesson, cause: CAUSE });

/** Delivers to all servers but the sender, at once. */
function createExchanges() {
  const servers: ((news: CredentialNews) => void)[] = [];
  return (): CredentialExchange => {
    let own: ((news: CredentialNews) => void) | undefined;
    return {
      publish: (news) => servers.filter((each) => each !== own).forEach((each) => each(news)),
      async subscribe(onNews) {
        own = onNews;
        servers.push(onNews);
      },
      close: () => Promise.resolve(),
    };
  };
}

async function openServers(...fingerprints: string[]) {
  const clock = createTestClock();
  const newExchange = createExchanges();
  const servers = await Promise.all(
    fingerprints.map((fingerprint) =>
      shareCredentials({
        clock,
        refusedMs: MINUTE_MS,
        exchange: newExchange(),
        fingerprintOf: () => fingerprint,
      }),
    ),
  );
  return { clock, servers };
}

test('a key refused at one server is not asked with by the others', async () => {
  const { servers } = await openServers('same', 'same', 'same');
  servers[0]?.failed(USE, REFUSAL);
  assert.ok(servers.every((server) => server.refuses(USE)));
});

test('the server that met the refusal probes first, and its outcome reaches the others', async () => {
  const { clock, servers } = await openServers('same', 'same');
  const [first, second] = servers;
  first?.failed(USE, REFUSAL);
  await clock.advance(MINUTE_MS);
  assert.equal(first?.refuses(USE), false);
  assert.equal(second?.refuses(USE), true);
  first?.failed(USE, REFUSAL);
  await clock.advance(MINUTE_MS - 1);
  assert.equal(second?.refuses(USE), true);
  first?.accepted(USE);
  assert.equal(second?.refuses(USE), false);
});

test('another server probes if the first one makes no call', async () => {
  const { clock, servers } = await openServers('same', 'same');
  servers[0]?.failed(USE, REFUSAL);
  await clock.advance(MINUTE_MS + 5000);
  assert.equal(servers[1]?.refuses(USE), false);
  assert.equal(servers[1]?.refuses(USE), true);
});

test('a server with another key for the account is not affected', async () => {
  const { servers } = await openServers('old key', 'new key');
  servers[0]?.failed(USE, REFUSAL);
  assert.equal(servers[1]?.refuses(USE), false);
});

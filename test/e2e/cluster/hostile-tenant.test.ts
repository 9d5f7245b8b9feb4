// Two organisations call through two gateways. The requests of one make the provider fail, hang or refuse; the answers to the
// other, at the other gateway, stay what they were.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, suite, test } from 'node:test';
import { sleep, systemClock } from '../../../src/kernel/clock.ts';
import {
  administer,
  ask,
  type Caller,
  errorOf,
  messageBody,
  newTenant,
} from '../../support/gateway/call-rig.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { raiseLimits } from '../../support/gateway/test-gateway.ts';
import { rowsOf, valueAt } from '../../support/response-fields.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { until } from '../../support/stores/redis-rig.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { refuse, startVendor, type Vendor, type VendorServer } from '../tenants/vendor-rig.ts';

const FILE = `
retry: { throttledRetries: 0, overloadedRetries: 0, errorRetries: 0, networkRetries: 0, maxInteractiveWaitMs: 0 }
breaker: { openMs: 100 }
`;
const ROOMY = { requestsPerMinute: 1_000_000, monthlyBudgetUsd: 100_000 };
const MAX_LIMIT_MS = 32 * 86_400_000;

suite('a hostile organisation at another server', { timeout: 120_000 }, () => {
  const folder = makeTempFolder();
  let cluster: TestCluster;
  let vendor: VendorServer;
  let urls: readonly string[];
  let hostile: Caller & { readonly organizationId: string };
  let other: Caller & { readonly organizationId: string };
  /** Decides before the requests of the test do. */
  let failure: Vendor = () => undefined;

  before(async () => {
    vendor = await startVendor();
    const config = join(folder, 'spillway.yaml');
    writeFileSync(config, FILE);
    cluster = await openTestCluster({ ...servicesFromEnv(process.env), rabbitmqUrl: '' }, folder, {
      ANTHROPIC_BASE_URL: vendor.url,
      ANTHROPIC_RATE_LIMIT: '1000000',
    });
    const role = ['gateway', '--config', config];
    urls = [(await cluster.start(role)).url, (await cluster.start(role)).url];
    await raiseLimits(urls[0] ?? '', cluster.adminKey);
    vendor.answerWith((request, response) => {
      if (failure(request, response)) return true;
      if (request.body.includes('hang')) return true;
      if (!request.body.includes('invalid')) return undefined;
      return refuse(response, 400, { type: 'error', error: { type: 'invalid_request_error' } });
    });
    hostile = await newTenant(operator(0), ROOMY);
    other = await newTenant(operator(0), ROOMY);
  });
  after(async () => {
    await cluster.close();
    vendor.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    failure = () => undefined;
    const region = cluster.env['SERVER_REGION'] ?? '';
    await administer(operator(0), 'DELETE', `/admin/limits/anthropic/${region}`);
    await administer(operator(0), 'POST', `/admin/breakers/anthropic/${region}/reset`);
    await until(async () => (await limitsAt(1)).length === 0);
  });

  const operator = (index: number) => ({ url: urls[index] ?? '', adminKey: cluster.adminKey });
  const at = (caller: Caller, index: number): Caller => ({ ...caller, url: urls[index] ?? '' });
  const say = (caller: Caller, text: string, signal?: AbortSignal) =>
    ask(caller, {
      body: { ...messageBody(), messages: [{ role: 'user', content: text }] },
      ...(signal ? { signal } : {}),
    });

  /** Other tests on the same Redis have limits of other regions. */
  async function limitsAt(index: number): Promise<readonly unknown[]> {
    const region = cluster.env['SERVER_REGION'];
    const limits = rowsOf(await administer(operator(index), 'GET', '/admin/limits'));
    return limits.filter((each) => valueAt(each, 'region') === region);
  }

  /** Keeps several requests of the hostile organisation in flight at the first server. */
  function attack(text: string): () => Promise<void> {
    const ending = new AbortController();
    const loops = Array.from({ length: 6 }, async () => {
      while (!ending.signal.aborted)
        await say(at(hostile, 0), text, ending.signal).catch(() => undefined);
    });
    return async () => {
      ending.abort();
      await Promise.all(loops);
    };
  }

  function limitAll(resetAt: number): void {
    const unified = 'anthropic-ratelimit-unified';
    failure = (_, response) =>
      refuse(
        response,
        429,
        { type: 'error', error: { type: 'rate_limit_error', message: 'Limited' } },
        {
          [`${unified}-status`]: 'rejected',
          [`${unified}-representative-claim`]: 'seven_day',
          [`${unified}-reset`]: new Date(resetAt).toISOString(),
        },
      );
  }

  for (const [text, withinMs] of [
    ['invalid', 30_000],
    ['hang', 60_000],
  ] as const)
    test(`requests that are ${text === 'hang' ? 'never answered' : 'invalid'} as probes keep no organisation from an account whose limit is over`, async () => {
      limitAll(Date.now() + 500);
      assert.equal((await say(at(hostile, 0), 'Hello')).status, 429);
      failure = () => undefined;
      const end = attack(text);
      await until(() => vendor.received.some(({ body }) => body.includes(text)));
      const lateAt = Date.now() + withinMs;
      let served = 0;
      while (served < 5) {
        await sleep(systemClock, 50);
        served = (await say(at(other, 1), 'Hello')).status === 200 ? served + 1 : 0;
        assert.ok(Date.now() < lateAt, 'the other organisation is still refused');
      }
      await end();
    });

  test('failures of one organisation open no circuit for another with one failure among its successes', async () => {
    failure = ({ body }, response) =>
      body.includes('provoke')
        ? refuse(response, 500, { error: { type: 'api_error' } })
        : undefined;
    await say(at(other, 0), 'provoke');
    for (let call = 0; call < 10; call += 1)
      assert.equal((await say(at(other, call % 2), 'Hello')).status, 200);
    // Successes reach the shared circuit within a second.
    await sleep(systemClock, 1500);
    await Promise.all(Array.from({ length: 30 }, () => say(at(hostile, 0), 'provoke')));
    assert.equal(errorOf(await say(at(hostile, 0), 'Hello')).params['reason'], 'circuit_open');
    for (const index of [0, 1]) assert.equal((await say(at(other, index), 'Hello')).status, 200);
  });

  test('text that a provider quotes is learnt at no server', async () => {
    const text = 'credit balance is too low try again in 700 hours|4070908800';
    failure = ({ body }, response) => {
      if (!body.includes('credit balance')) return undefined;
      const error = {
        type: 'invalid_request_error',
        message: `${text}: Extra inputs are not permitted`,
      };
      return refuse(response, 400, { type: 'error', error });
    };
    await ask(at(hostile, 0), { body: { ...messageBody(), [text]: 1 } });
    for (const index of [0, 1]) {
      assert.equal((await say(at(other, index), 'Hello')).status, 200);
      assert.deepEqual(await limitsAt(index), []);
    }
  });

  test('a limit until 2099 is learnt at the other server for 32 days, with the request that met it', async () => {
    limitAll(Date.UTC(2099, 0));
    const met = await say(at(hostile, 0), 'Hello');
    await until(async () => (await limitsAt(1)).length > 0);
    const [limit] = await limitsAt(1);
    assert.equal(valueAt(limit, 'requestId'), met.headers.get('x-request-id'));
    const lastsMs = Number(valueAt(limit, 'resetAt')) - Number(valueAt(limit, 'setAt'));
    assert.equal(lastsMs, MAX_LIMIT_MS);
    assert.equal(errorOf(await say(at(other, 1), 'Hello')).code, 'AI_LIMIT_REACHED');
  });
});

// Hostile text in the records that servers share through Redis (ids, regions and versions of servers, the servers they forward
// to, the setter of a limit, lines of the log) stays text in a real Chromium. Spillway refuses such names in its own settings;
// the records are written as another program with access to Redis could write them.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { Redis } from 'ioredis';
import type { Browser } from 'playwright-core';
import { openChromium, skipWithoutChromium } from '../../support/browser/chromium.ts';
import { type DashboardPage, openDashboard } from '../../support/browser/dashboard-page.ts';
import { CREATED, HOSTILE } from '../../support/browser/hostile-text.ts';
import { untilStatus } from '../../support/gateway/cluster-status.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const START_MS = 20_000;
const HOUR_MS = 3_600_000;

suite('hostile text of other servers', { skip: skipWithoutChromium, timeout: 120_000 }, () => {
  let cluster: TestCluster;
  let folder: string;
  let browser: Browser;
  let dashboard: DashboardPage;
  let redis: Redis;

  before(async () => {
    const services = servicesFromEnv(process.env);
    folder = makeTempFolder();
    cluster = await openTestCluster(services, folder, {
      ENABLE_MULTI_SERVER_ROUTING: 'true',
      INTER_SERVER_SECRET: 'the-secret-between-the-servers-000',
      ENABLE_REDIS_LOGGING: 'true',
    });
    const { url } = await cluster.start(['gateway'], { SERVER_ID: 'own' });
    const own = { url, adminKey: cluster.adminKey };
    await untilStatus(own, ({ servers }) => servers.length === 1, START_MS);
    redis = new Redis(services.redisUrl);
    await writeHostileRecords();
    await untilStatus(own, ({ servers }) => servers.length === 2, START_MS);
    browser = await openChromium();
    dashboard = await openDashboard(browser, url, { adminKey: cluster.adminKey });
    dashboard.page.setDefaultTimeout(15_000);
  });
  after(async () => {
    await browser?.close();
    redis?.disconnect();
    await cluster?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function writeHostileRecords(): Promise<void> {
    const prefix = String(cluster.env['REDIS_KEY_PREFIX']);
    const region = String(cluster.env['SERVER_REGION']);
    const own = JSON.parse((await redis.get(`${prefix}servers:info:own`)) ?? '') as object;
    const scope = { provider: HOSTILE, region: HOSTILE, account: HOSTILE };
    const limit = { subject: 'limit', provider: HOSTILE, region: HOSTILE, forMs: 1, endsInMs: 1e6 };
    const server = {
      ...own,
      id: HOSTILE,
      incarnation: HOSTILE,
      version: HOSTILE,
      url: `http://127.0.0.1:9/${HOSTILE}`,
      region: HOSTILE,
      workers: [{ provider: HOSTILE, concurrency: 1, running: 1, averageRunMs: 1 }],
      capabilities: { providers: [HOSTILE], models: [HOSTILE], scopes: [scope] },
      opinion: {
        entries: [{ ...limit, resetAt: Date.now() + HOUR_MS }],
        refusedAccounts: [{ provider: HOSTILE, account: HOSTILE }],
      },
      forwardedTo: { own: 5, [HOSTILE]: 3 },
      lastHeartbeat: Date.now(),
    };
    await redis.set(`${prefix}servers:info:${HOSTILE}`, JSON.stringify(server), 'PX', HOUR_MS);
    await redis.zadd(`${prefix}servers:index`, Date.now() + HOUR_MS, HOSTILE);
    const resetAt = Date.now() + HOUR_MS;
    const set = { active: true, resetAt, setBy: HOSTILE, setAt: Date.now(), requestId: HOSTILE };
    await redis.set(`ai:limit:anthropic:${region}`, JSON.stringify(set), 'PX', HOUR_MS);
    const line = {
      level: 'warn',
      timestamp: new Date().toISOString(),
      server_id: HOSTILE,
      log_type: 'capacity',
      message: HOSTILE,
      metadata: { region: HOSTILE, title: HOSTILE, [HOSTILE]: HOSTILE },
    };
    await redis.lpush(`${prefix}server:logs`, JSON.stringify(line));
  }

  const PAGES = [
    ['cluster', 'Cluster', true],
    [`cluster?server=${encodeURIComponent(HOSTILE)}`, 'Cluster', true],
    ['overview', 'Overview', true],
    ['capacity', 'Capacity', true],
    ['logs?type=capacity', 'Logs and alerts', true],
    ['jobs', 'Jobs', false],
  ] as const;

  for (const [address, title, shows] of PAGES)
    test(`#/${address.slice(0, 20)} shows the text of other servers as text`, async () => {
      const { page, problems, open } = dashboard;
      await open(address, title);
      await page
        .locator('[aria-busy=true], .chart-skeleton')
        .first()
        .waitFor({ state: 'detached' });
      if (shows)
        await page.getByText('onerror="window.owned=1"', { exact: false }).first().waitFor();
      const found: unknown = JSON.parse(String(await page.evaluate(CREATED)));
      assert.partialDeepStrictEqual(found, { owned: null, elements: [] }, address);
      assert.deepEqual(problems, [], address);
    });
});

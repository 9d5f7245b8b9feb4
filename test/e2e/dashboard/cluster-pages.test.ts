// The dashboard of three servers on Redis and PostgreSQL, in a real Chromium: a limit arrives with its countdown and opens its
// circuit, an operator clears it, drains a server and resumes it.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { findViolations } from '../../support/browser/accessibility.ts';
import { openChromium, skipWithoutChromium } from '../../support/browser/chromium.ts';
import { type DashboardPage, openDashboard } from '../../support/browser/dashboard-page.ts';
import { ask } from '../../support/gateway/call-rig.ts';
import { untilStatus } from '../../support/gateway/cluster-status.ts';
import { openTestCluster, type TestCluster } from '../../support/gateway/test-cluster.ts';
import { raiseLimits } from '../../support/gateway/test-gateway.ts';
import { servicesFromEnv } from '../../support/services/services-from-env.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const SERVERS = ['server-1', 'server-2', 'server-3'];
const START_MS = 20_000;

suite('the dashboard of a cluster', { skip: skipWithoutChromium }, () => {
  let cluster: TestCluster;
  let folder: string;
  let browser: Browser;
  let dashboard: DashboardPage;
  let first: { readonly url: string; readonly adminKey: string; readonly apiKey: string };

  before(async () => {
    folder = makeTempFolder();
    cluster = await openTestCluster(servicesFromEnv(process.env), folder, {
      ENABLE_MULTI_SERVER_ROUTING: 'true',
      INTER_SERVER_SECRET: 'the-secret-between-the-servers-000',
      ENABLE_REDIS_LOGGING: 'true',
    });
    const urls: string[] = [];
    for (const id of SERVERS) urls.push((await cluster.start(['gateway'], { SERVER_ID: id })).url);
    first = { url: urls[0] ?? '', adminKey: cluster.adminKey, apiKey: cluster.apiKey };
    await raiseLimits(first.url, cluster.adminKey);
    await untilStatus(first, ({ servers }) => servers.length === SERVERS.length, START_MS);
    browser = await openChromium();
    dashboard = await openDashboard(browser, first.url, { adminKey: cluster.adminKey });
  });
  after(async () => {
    await browser.close();
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('a limit arrives with its countdown, opens the circuit, and is cleared by hand', async () => {
    const { page, problems, open } = dashboard;
    await open('capacity', 'Capacity');
    cluster.simulator.setScenario({ preset: 'usage-limit', resetInSeconds: 600 });
    await ask(first);
    const ring = page.getByRole('img', { name: /limited until .* left$/ }).first();
    await ring.waitFor();
    assert.match(await ring.innerHTML(), />(9|10):\d\d</);
    await page
      .getByRole('img', { name: /^Circuit breaker of .*: Open/ })
      .first()
      .waitFor();

    cluster.simulator.resetScenario();
    // The table below the cards lists the limits of every program on this Redis; the cards are of this cluster.
    await page.getByRole('button', { name: 'Clear limit', disabled: false }).first().click();
    const question = page.getByRole('dialog', { name: /^Clear the limit/ });
    await question.getByRole('button', { name: 'Clear the limit' }).click();
    await ring.waitFor({ state: 'detached' });
    assert.equal((await ask(first)).status, 200);
    assert.deepEqual(problems, []);
  });

  test('the map shows every server, and one is drained and resumed after one question each', async () => {
    const { page, problems, open } = dashboard;
    await open('cluster', 'Cluster');
    const map = page.getByRole('group', { name: 'Map of the servers' });
    for (const id of SERVERS)
      await map.getByRole('link', { name: new RegExp(`${id}.*healthy`) }).waitFor();

    const row = page.getByRole('row', { name: /^server-3/ });
    await row.getByRole('button', { name: 'Drain' }).click();
    const question = page.getByRole('dialog', { name: 'Drain server-3?' });
    await question.getByText('finishes the requests').waitFor();
    await question.getByRole('button', { name: 'Drain' }).click();
    await row.getByText('draining').waitFor();
    await map.getByRole('link', { name: /server-3.*draining/ }).waitFor();
    await untilStatus(
      first,
      ({ servers }) => servers.some(({ id, isDraining }) => id === 'server-3' && isDraining),
      10_000,
    );
    assert.deepEqual(await findViolations(page), []);

    await row.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await row.getByText('healthy').waitFor();
    assert.deepEqual(problems, []);
  });

  test('the log shows the entries of a chosen server', async () => {
    const { page, problems, open } = dashboard;
    await ask(first);
    await open('logs?type=audit&server=server-1', 'Logs and alerts');
    const table = page.getByRole('region', { name: 'Log entries' });
    await table.getByRole('cell', { name: 'server-1' }).first().waitFor();
    await open('logs?type=audit&server=server-2', 'Logs and alerts');
    await page.getByText('No entry matches these filters').waitFor();
    assert.deepEqual(problems, []);
  });
});

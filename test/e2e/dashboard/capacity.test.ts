// Capacity, the overview and the live stream in a real Chromium: a limit arrives with its countdown and is cleared, a circuit
// opens and is closed, hostile names stay text, updates cost no long task, and axe-core finds nothing while all of it fails.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { findViolationsInBothThemes } from '../../support/browser/accessibility.ts';
import { openChromium, skipWithoutChromium } from '../../support/browser/chromium.ts';
import {
  DASHBOARD_PAGES,
  type DashboardPage,
  openDashboard,
} from '../../support/browser/dashboard-page.ts';
import { catchStream, driveUpdates } from '../../support/browser/live-updates.ts';
import { ask, chatAsk } from '../../support/gateway/call-rig.ts';
import {
  startTestGateway,
  TEST_ADMIN_KEY,
  TEST_API_KEY,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';

const MINUTE_MS = 60_000;
/** Of the events of the live stream. */
const LIVE_INTERVAL_MS = 1000;
const LONG_TASK_MS = 50;
/** As many as in a minute. */
const UPDATES = 60;
/** Of the overview, with traffic and failures. */
const CHARTS = 4;
const FILE = `
retry: { overloadedRetries: 0 }
alerts: { intervalMs: 500ms }
`;
const HOSTILE = '<img src=x onerror=alert(1)>';

suite('capacity and overview', { skip: skipWithoutChromium }, () => {
  let gateway: TestGateway;
  let browser: Browser;
  let dashboard: DashboardPage;
  before(async () => {
    browser = await openChromium();
    gateway = await startTestGateway({ MAX_RETRY_ATTEMPTS: '1' }, () => FILE);
    dashboard = await openDashboard(browser, gateway.url);
  });
  after(async () => {
    await browser.close();
    await gateway.close();
  });

  async function admin(method: string, path: string, body?: object): Promise<void> {
    const answer = await fetch(gateway.url + path, {
      method,
      headers: {
        authorization: `Bearer ${TEST_ADMIN_KEY}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.text()}`);
  }

  async function call(content = 'Hello'): Promise<number> {
    const answer = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': TEST_API_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'claude-sonnet-4-5',
        max_tokens: 50,
        messages: [{ role: 'user', content }],
      }),
    });
    await answer.arrayBuffer();
    return answer.status;
  }

  test('requests appear on the overview without a reload', async () => {
    const { page, open } = dashboard;
    await open('overview', 'Overview');
    await page.getByText('No request in this range').waitFor();
    // A minute may end before the page shows its request; the second request has a minute of its own.
    assert.ok((await isShownWithinItsMinute()) || (await isShownWithinItsMinute()));
    await page.getByText('Failures by code').waitFor();
  });

  async function isShownWithinItsMinute(): Promise<boolean> {
    assert.equal(await call(), 200);
    const timeout = MINUTE_MS - (Date.now() % MINUTE_MS) + LIVE_INTERVAL_MS;
    const shown = dashboard.page.getByText('1 this minute').waitFor({ timeout });
    return shown.then(
      () => true,
      () => false,
    );
  }

  test('a limit arrives with its countdown and is cleared', async () => {
    const { page, open } = dashboard;
    await open('capacity', 'Capacity');
    await page.getByText('No provider is limited').waitFor();
    const [region = ''] = await page.locator('.region-name').allInnerTexts();
    await admin('PUT', `/admin/limits/anthropic/${region}`, { resetAt: Date.now() + 590_000 });
    await page.getByRole('img', { name: /^anthropic .*: limited until/ }).waitFor();
    await page
      .getByText(/^anthropic .* is limited until \d\d:\d\d/i)
      .first()
      .waitFor();
    const row = page.getByRole('row', { name: /^anthropic.*set by an operator/ });
    assert.match(await row.innerText(), /\b9:\d\d\b/);

    await row.getByRole('button', { name: 'Clear' }).click();
    const question = page.getByRole('dialog');
    assert.match(await question.innerText(), /sends calls there again at once/);
    await question.getByRole('button', { name: 'Clear the limit' }).click();
    await page.getByText('No provider is limited').waitFor();
  });

  test('a limit is set by hand', async () => {
    const { page } = dashboard;
    await page.getByRole('button', { name: 'Set a limit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set a limit' });
    await dialog.getByLabel('Model').fill('claude-sonnet-4-5');
    await dialog.getByRole('button', { name: 'Set the limit' }).click();
    await page.getByRole('row', { name: /claude-sonnet-4-5.*set by an operator/ }).waitFor();
    const [region = ''] = await page.locator('.region-name').allInnerTexts();
    await admin('DELETE', `/admin/limits/anthropic/${region}`);
  });

  test('a circuit opens while the page is open and is closed by hand', async () => {
    const { page, open } = dashboard;
    await open('capacity', 'Capacity');
    gateway.simulator.setScenario({ fault: 'server-error', status: 500 });
    for (let attempt = 0; attempt < 40; attempt += 1) await call(`fail ${attempt}`);
    gateway.simulator.setScenario({ fault: 'none' });
    await page.getByRole('img', { name: /^Circuit breaker of anthropic .*Open: calls/ }).waitFor();
    await page.getByRole('button', { name: 'Close circuit', disabled: false }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close the circuit' }).click();
    await page.getByRole('img', { name: /^Circuit breaker of anthropic .*Closed/ }).waitFor();
  });

  test('hostile names stay text', async () => {
    const { page, open, problems } = dashboard;
    await admin('POST', '/admin/orgs', { id: 'hostile', name: HOSTILE });
    for (const [address, title] of [
      ['money', 'Money'],
      [`logs?text=${encodeURIComponent(HOSTILE)}`, 'Logs and alerts'],
      [`try?model=${encodeURIComponent(HOSTILE)}&locales=${encodeURIComponent(HOSTILE)}`, 'Try it'],
      [`capacity?limits=${encodeURIComponent(HOSTILE)}`, 'Capacity'],
    ] as const) {
      await open(address, title);
      assert.equal(await page.locator('img[src=x]').count(), 0, address);
    }
    const wasRun = /^dialog|^uncaught|Content Security Policy/;
    assert.deepEqual(
      problems.filter((problem) => wasRun.test(problem)),
      [],
    );
  });

  test('sixty live updates are drawn without a task of more than 50 ms', async (context) => {
    const { page, open } = dashboard;
    await call('first');
    gateway.simulator.setScenario({ fault: 'server-error', status: 500 });
    await call('second');
    gateway.simulator.setScenario({ fault: 'none' });
    await page.setViewportSize({ width: 1280, height: 1500 });
    await catchStream(page);
    await open('overview', 'Overview');
    await page
      .locator('.chart-plot canvas')
      .nth(CHARTS - 1)
      .waitFor();
    const { drawn, longTasks, longestOwnMs } = await driveUpdates(browser, page, UPDATES, CHARTS);
    await page.setViewportSize({ width: 1280, height: 800 });
    context.diagnostic(
      `long tasks: ${longTasks.join(', ') || 'none'}; own time ${longestOwnMs} ms`,
    );
    assert.equal(drawn, UPDATES);
    // A busy machine stretches a task by the time of other processes: the page answers for its own processor time.
    assert.ok(longestOwnMs <= LONG_TASK_MS, `a task took ${longestOwnMs} ms of processor time`);
  });

  test('axe-core finds no violation on any page while limits, circuits and alerts are active', async () => {
    const { page, openWhole } = dashboard;
    await setOnFire();
    for (const [address, title] of DASHBOARD_PAGES) {
      await openWhole(address, title);
      assert.deepEqual(await findViolationsInBothThemes(page), [], address);
    }
  });

  /** A limit, an open circuit, a dead letter, a spent budget and firing alerts. */
  async function setOnFire(): Promise<void> {
    await admin('POST', '/admin/orgs', { id: 'poor', name: 'Poor', monthlyBudgetUsd: 0 });
    gateway.simulator.setScenario([
      { provider: 'anthropic', preset: 'usage-limit', resetInSeconds: 600 },
      { provider: 'openai', fault: 'server-error', status: 500 },
      { provider: 'gemini', fault: 'server-error', status: 500 },
    ]);
    await call('limited');
    const caller = { url: gateway.url, apiKey: TEST_API_KEY };
    const failing = Array.from({ length: 20 }, () => ask(caller, chatAsk()));
    await Promise.all(failing);
    await ask(caller, { path: '/v1/jobs', body: { model: 'gemini-2.5-flash', prompt: 'fail' } });
    await dashboard.open('logs?tab=alerts', 'Logs and alerts');
    await dashboard.page.getByRole('tab', { name: /firing/ }).waitFor();
    await dashboard.open('jobs?tab=dead', 'Jobs');
    await dashboard.page.getByRole('tab', { name: 'Dead letters (1)' }).waitFor();
  }
});

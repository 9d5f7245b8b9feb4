// The pages Jobs, Money, and Logs and alerts in a real Chromium, against a gateway with the simulator: an operator retries a
// dead letter, creates an organisation and a key, sees its budget fall, filters the log and opens a request.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { findViolations, findViolationsInBothThemes } from '../../support/browser/accessibility.ts';
import { openChromium, skipWithoutChromium } from '../../support/browser/chromium.ts';
import {
  DASHBOARD_PAGES,
  type DashboardPage,
  openDashboard,
} from '../../support/browser/dashboard-page.ts';
import { findUnreached } from '../../support/browser/keyboard.ts';
import { administer, ask } from '../../support/gateway/call-rig.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/test-gateway.ts';
import { rowsOf } from '../../support/response-fields.ts';
import { until } from '../../support/stores/redis-rig.ts';

const HOSTILE = '<img src=x onerror="document.title=\'owned\'"><script>alert(1)</script>';
const FILE = `
retry: { throttledRetries: 0, overloadedRetries: 0, errorRetries: 0, networkRetries: 0, maxInteractiveWaitMs: 0 }
breaker: { failures: 1000000 }
`;

suite('the pages of an operator', { skip: skipWithoutChromium }, () => {
  let gateway: TestGateway;
  let browser: Browser;
  let dashboard: DashboardPage;

  before(async () => {
    browser = await openChromium();
    gateway = await startTestGateway({ MAX_RETRY_ATTEMPTS: '1', LOG_LEVEL: 'info' }, () => FILE);
    dashboard = await openDashboard(browser, gateway.url);
    dashboard.page.setDefaultTimeout(12_000);
  });
  after(async () => {
    await browser.close();
    await gateway.close();
  });

  async function submit(prompt: string): Promise<void> {
    const answer = await ask(gateway, { path: '/v1/jobs', body: { model: 'gpt-5-mini', prompt } });
    assert.equal(answer.status, 202, answer.text);
  }

  /** Jobs that fail permanently, one dead letter each. */
  async function bury(count: number): Promise<void> {
    gateway.simulator.setScenario({ preset: 'server-error' });
    for (let index = 0; index < count; index += 1) await submit('fail');
    await until(
      async () => rowsOf(await administer(gateway, 'GET', '/admin/dlq')).length === count,
    );
    gateway.simulator.resetScenario();
  }

  test('a dead letter shows its reason, is retried, and another is purged after one question', async () => {
    const { page, problems, open } = dashboard;
    await bury(2);
    await open('jobs?tab=dead', 'Jobs');
    const rows = page.getByRole('region', { name: 'Dead letters' }).getByRole('row');
    await page.getByText('PROVIDER_UNAVAILABLE').first().waitFor();
    await rows.nth(1).getByRole('button', { name: 'Retry' }).click();
    await page.getByText('The job is queued again.').waitFor();
    await page.getByRole('button', { name: 'Close the notice' }).click();
    await page.getByRole('tab', { name: 'Dead letters (1)' }).waitFor();
    await rows.nth(2).waitFor({ state: 'detached' });

    await rows.nth(1).getByRole('button', { name: 'Purge' }).click();
    const question = page.getByRole('dialog', { name: 'Purge this dead letter?' });
    await question.getByText('cannot be retried').waitFor();
    await question.getByRole('button', { name: 'Purge' }).click();
    await page.getByText('No dead letters').waitFor();
    assert.deepEqual(rowsOf(await administer(gateway, 'GET', '/admin/dlq')), []);

    await open('jobs?status=succeeded', 'Jobs');
    await page.getByRole('cell', { name: 'succeeded' }).first().click();
    const panel = page.getByRole('dialog', { name: /^Job / });
    await panel.getByText('attempt', { exact: false }).first().waitFor();
    assert.match(page.url(), /job=/);
    assert.deepEqual(await findViolations(page), []);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
  });

  test('an organisation and its key are created, and its budget falls with its calls', async () => {
    const { page, problems, open } = dashboard;
    await open('money', 'Money');
    await page.getByRole('button', { name: 'Create organisation' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create organisation' });
    await form.getByLabel('Name').fill(HOSTILE);
    await form.getByLabel('Id').fill('acme');
    await form.getByLabel('Budget a month').fill('0.01');
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
    assert.match(page.url(), /org=acme/);
    await page.getByText('$0.01 of $0.01 left', { exact: false }).first().waitFor();

    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('backend');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const apiKey = await page.getByRole('dialog').locator('code').innerText();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: 'backend' }).waitFor();
    assert.equal((await page.content()).includes(apiKey), false);

    for (let call = 0; call < 3; call += 1) {
      assert.equal((await ask({ url: gateway.url, apiKey })).status, 200);
    }
    await page
      .getByText('$0.01 of $0.01 left', { exact: false })
      .first()
      .waitFor({ state: 'detached' });
    await page
      .getByText(/\$0\.00\d+ of \$0\.01 left/)
      .first()
      .waitFor();

    await page.getByRole('button', { name: 'Revoke' }).click();
    const question = page.getByRole('dialog', { name: /^Revoke the key/ });
    await question.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    assert.equal((await ask({ url: gateway.url, apiKey })).status, 401);
    assert.equal((await page.title()) === 'owned', false);
    assert.deepEqual(problems, []);
  });

  test('the address filters the log, and a line opens the timeline of its request', async () => {
    const { page, problems, open } = dashboard;
    await ask(gateway);
    gateway.simulator.setScenario({ preset: 'server-error' });
    await ask(gateway);
    gateway.simulator.resetScenario();
    await open('logs', 'Logs and alerts');
    await page.getByLabel('Type').selectOption('request');
    const table = page.getByRole('region', { name: 'Log entries' });
    await table.getByRole('cell', { name: 'request', exact: true }).first().waitFor();
    assert.match(page.url(), /type=request/);
    await page.getByLabel('Text').fill('no such text anywhere');
    await page.getByText('No entry matches these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();

    await open('logs?type=request&level=warn', 'Logs and alerts');
    await table.getByRole('cell', { name: 'the provider answered 500' }).first().click();
    const panel = page.getByRole('dialog', { name: /^Request / });
    await panel.getByText('PROVIDER_UNAVAILABLE').first().waitFor();
    assert.match(page.url(), /request=/);
    assert.deepEqual(await findViolations(page), []);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });

    await open('logs?tab=requests&code=OK', 'Logs and alerts');
    await page.getByRole('cell', { name: 'OK' }).first().waitFor();
    assert.deepEqual(problems, []);
  });

  test('the pages have no accessibility violations in both themes', async () => {
    const { page, openWhole } = dashboard;
    for (const [address, title] of DASHBOARD_PAGES) {
      await openWhole(address, title);
      assert.deepEqual(await findViolationsInBothThemes(page), [], address);
    }
  });

  test('every control of every page is reached by the Tab key', async () => {
    const { page, openWhole } = dashboard;
    for (const [address, title] of DASHBOARD_PAGES) {
      await openWhole(address, title);
      await page.locator('.toast').first().waitFor({ state: 'detached' });
      assert.deepEqual(await findUnreached(page), [], address);
    }
  });

  test('the narrow pages do not scroll sideways', async () => {
    const { page, openWhole, close } = await openDashboard(browser, gateway.url, { width: 360 });
    for (const [address, title] of DASHBOARD_PAGES) {
      await openWhole(address, title);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, address);
    }
    await openWhole('logs?tab=requests', 'Logs and alerts');
    await page.getByRole('region', { name: 'Requests' }).getByRole('row').nth(1).click();
    await page.getByRole('dialog').getByText('Request id').waitFor();
    const dialog: unknown = await page.evaluate(
      '[document.querySelector("dialog").clientWidth, document.querySelector("dialog").scrollWidth]',
    );
    assert.deepEqual(dialog, [359, 359], 'the panel of a request');
    await close();
  });
});

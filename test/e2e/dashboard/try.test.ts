// "Try it" in a real Chromium against `spillway serve` with the built-in simulator: a scenario, the caller's answer, the
// sentence in three languages, the steps, and back to health.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openChromium, skipWithoutChromium } from '../../support/browser/chromium.ts';
import { type DashboardPage, openDashboard } from '../../support/browser/dashboard-page.ts';
import { runSpillway, type SpillwayProcess } from '../../support/gateway/spillway-process.ts';
import { TEST_ADMIN_KEY } from '../../support/gateway/test-gateway.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

suite('Try it', { skip: skipWithoutChromium }, () => {
  let spillway: SpillwayProcess;
  let browser: Browser;
  let dashboard: DashboardPage;
  const folder = makeTempFolder();
  before(async () => {
    browser = await openChromium();
    spillway = runSpillway(['serve'], {
      SPILLWAY_DATA_DIR: folder,
      SPILLWAY_ADMIN_KEY: TEST_ADMIN_KEY,
    });
    dashboard = await openDashboard(browser, await spillway.ready());
    await dashboard.open('try?model=claude-sonnet-4-5&locales=en,de,tr', 'Try it');
  });
  after(async () => {
    await browser.close();
    spillway.kill('SIGTERM');
    await spillway.ended();
    rmSync(folder, { recursive: true, force: true });
  });

  test('a healthy provider gives an answer and its steps', async () => {
    const { page } = dashboard;
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('200 OK').waitFor();
    await page.getByText('The answer of the model').waitFor();
    await page.getByText(/Charged \d+ input and \d+ output tokens/).waitFor();
  });

  test('a usage limit is a sentence in three languages, and its scenario is in the URL', async () => {
    const { page } = dashboard;
    await page
      .getByRole('button', { name: /^Usage limit/ })
      .first()
      .click();
    await page.getByText('429 Too Many Requests').waitFor();
    const sentences = page.locator('.sentence p');
    assert.deepEqual(
      await sentences.evaluateAll((found) => found.map((each) => each.getAttribute('lang'))),
      ['en', 'de', 'tr'],
    );
    const texts = await sentences.allInnerTexts();
    assert.match(texts[0] ?? '', /usage limit/);
    assert.match(texts[1] ?? '', /Nutzungslimit/);
    assert.equal(new Set(texts).size, 3);
    assert.match(page.url(), /scenario=usage-limit/);
    assert.doesNotMatch(texts.join(' '), /anthropic|claude/i);
  });

  test('a sentence in another language is shown immediately', async () => {
    const { page } = dashboard;
    await page.getByLabel('Language 3').selectOption('fr');
    await page.locator('.sentence p[lang=fr]').waitFor();
  });

  test('one button clears a limit that is in force', async () => {
    const { page, problems } = dashboard;
    const limited = await fetch(`${await spillway.ready()}/admin/limits/anthropic/us-east`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${TEST_ADMIN_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ resetAt: Date.now() + 600_000 }),
    });
    assert.equal(limited.status, 200);
    await page.getByRole('button', { name: 'Make everything healthy' }).click();
    await page.getByText('Limits are cleared').waitFor();
    await page.getByRole('button', { name: /^Healthy/ }).click();
    await page.getByText('200 OK').waitFor();
    assert.deepEqual(problems, []);
  });
});

// The example shop in a real browser: the client and the hooks as users meet them. Bad days last for a while, so two shops have
// theirs at the same time.

import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import type { Browser, Locator, Request } from 'playwright-core';
import { findViolations } from '../../support/browser/accessibility.ts';
import { openChromium, skipWithoutChromium } from '../../support/browser/chromium.ts';
import { openShopPage } from './shop-page.ts';
import { type ShopProcess, startShop } from './shop-process.ts';

/** The page's clock counts whole milliseconds, the browser's timings do not. */
const ROUNDING_MS = 20;

suite('the shop', { skip: skipWithoutChromium, concurrency: 2 }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  suite('with questions that are answered now', { concurrency: 1 }, () => {
    let shop: ShopProcess;
    before(async () => {
      shop = await startShop();
    });
    beforeEach(() => shop.rehearse('fine'));
    after(() => shop.close());

    test('shows an answer, and the events of a product page until it is ready', async () => {
      const { page, problems, answers, ask, close } = await openShopPage(browser, shop.url);
      await ask('Which tent survives a storm?');
      await answers.nth(1).filter({ hasText: 'storm' }).waitFor();
      await page.getByRole('button', { name: 'Write the page' }).click();
      await page.getByText('The page is ready').waitFor();
      assert.equal(await page.getByRole('progressbar').getAttribute('value'), '100');
      assert.deepEqual(problems, []);
      await close();
    });

    test('asks again by itself, not before the stated time', async () => {
      await shop.rehearse('busy');
      const { page, answers, ask, close } = await openShopPage(browser, shop.url);
      const calls: Request[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/api/chat')) calls.push(request);
      });
      await ask('Boots?');
      await page.getByText(/Asking again in 0:\d\d/).waitFor();
      await answers.nth(1).filter({ hasText: 'Boots' }).waitFor();
      const [first, second, ...others] = calls;
      assert.ok(first && second);
      assert.deepEqual(others, []);
      const delayMs = Number((await first.response())?.headers()['retry-after-ms']);
      // Both times are the browser's: events reach this process late on a busy machine.
      const { startTime, responseStart } = first.timing();
      const earlyMs = startTime + responseStart + delayMs - second.timing().startTime;
      assert.ok(earlyMs <= ROUNDING_MS, `${earlyMs} ms early`);
      await close();
    });

    test('shows what arrived of an answer that breaks off, and asks again without it', async () => {
      await shop.rehearse('broken');
      const { answers, refusal, ask, close } = await openShopPage(browser, shop.url);
      await ask('Which map?');
      await refusal.getByRole('button', { name: 'Try again', exact: true }).click();
      await answers.nth(1).filter({ hasText: 'Which map?' }).waitFor();
      await refusal.waitFor({ state: 'detached' });
      assert.equal(await answers.count(), 2);
      await close();
    });

    test('counts down to the end of a limit, across a sleeping tab', async () => {
      // The simulator rounds a reset up to a whole second: 600 s would be eleven minutes until that second has passed.
      await shop.rehearse('limit', 590);
      const { page, refusal, ask, close } = await openShopPage(browser, shop.url);
      await page.clock.install();
      await ask('Boots?');
      const retry = refusal.getByRole('button', { name: /Try again/ });
      await refusal.getByText('in 10 minutes').waitFor();
      assert.match((await retry.textContent()) ?? '', /^Try again in 9:\d\d$/);
      assert.equal(await retry.isDisabled(), true);
      assert.doesNotMatch((await refusal.textContent()) ?? '', /claude|anthropic|\|/i);
      const debug = await page.context().newCDPSession(page);
      async function sleepFor(ms: number): Promise<void> {
        // The wall clock goes on and no timer fires; the tab freezes and wakes.
        await page.clock.setSystemTime((await page.evaluate<number>('Date.now()')) + ms);
        await debug.send('Page.setWebLifecycleState', { state: 'frozen' });
        await debug.send('Page.setWebLifecycleState', { state: 'active' });
      }
      await sleepFor(300_000);
      await refusal.getByRole('button', { name: /^Try again in 4:\d\d$/ }).waitFor();
      await sleepFor(300_000);
      await refusal.getByRole('button', { name: 'Try again', exact: true }).waitFor();
      assert.equal(await retry.isEnabled(), true);
      await close();
    });

    test('stops a product page at a limit with a safe sentence', async () => {
      await shop.rehearse('limit', 600);
      const { page, close } = await openShopPage(browser, shop.url);
      await page.getByRole('button', { name: 'Write the page' }).click();
      const failed = page.getByRole('listitem').filter({ hasText: 'Outline failed' });
      await failed.getByText(/usage limit/).waitFor();
      assert.doesNotMatch((await failed.textContent()) ?? '', /claude|anthropic|\|/i);
      await close();
    });
  });

  suite('with questions that are queued', { concurrency: 1 }, () => {
    let shop: ShopProcess;
    before(async () => {
      shop = await startShop();
    });
    beforeEach(() => shop.rehearse('fine'));
    after(() => shop.close());

    test('a queued question is answered across a reload, a killed gateway and a restart', async () => {
      await shop.rehearse('limit', 600);
      const { page, problems, refusal, job, answers, ask, close } = await openShopPage(
        browser,
        shop.url,
      );
      await ask('Which stove?');
      const queue = refusal.getByRole('button', { name: 'Queue it for me' });
      await queue.waitFor();
      // The wait begins when the queued question meets the limit, and is not used up by the steps before.
      await shop.rehearse('fine');
      await shop.rehearse('limit', 12);
      await queue.click();
      await job.getByText('Your question waits for its turn').waitFor();
      await page.reload();
      await job.getByText(/It will continue/).waitFor();
      await shop.killSpillway();
      await shop.restart();
      await answers.filter({ hasText: 'Which stove?' }).waitFor({ timeout: 60_000 });
      await job.waitFor({ state: 'detached' });
      assert.deepEqual(problems, []);
      await close();
    });

    test('shows a queued answer as it grows, until the user cancels it', async () => {
      await shop.rehearse('limit', 600);
      const { refusal, job, ask, close } = await openShopPage(browser, shop.url);
      await ask('Which rope?');
      const queue = refusal.getByRole('button', { name: 'Queue it for me' });
      await queue.waitFor();
      // The limit ends before the question is queued, which then runs at once.
      await shop.rehearse('fine');
      await shop.rehearse('slow');
      await queue.click();
      const output = job.locator('.output');
      await output.waitFor();
      const begun = (await output.textContent()) ?? '';
      await job.getByText(new RegExp(`^${RegExp.escape(begun)}.`, 's')).waitFor();
      await cancel(job);
      await close();
    });

    test('has no accessibility violation in both themes, wide and narrow', async () => {
      await shop.rehearse('limit', 600);
      const { page, refusal, job, ask, close } = await openShopPage(browser, shop.url);
      async function inspect(): Promise<void> {
        for (const colorScheme of ['light', 'dark'] as const)
          for (const width of [1024, 360]) {
            await page.emulateMedia({ colorScheme });
            await page.setViewportSize({ width, height: 740 });
            assert.deepEqual(await findViolations(page), [], `${colorScheme}, ${width} px`);
            const isFitting = 'document.documentElement.scrollWidth <= innerWidth';
            assert.equal(await page.evaluate(isFitting), true, `${width} px`);
          }
      }
      await ask('Boots?');
      await refusal.waitFor();
      await inspect();
      await refusal.getByRole('button', { name: 'Queue it for me' }).click();
      await job.getByText(/It will continue/).waitFor();
      await inspect();
      await cancel(job);
      await close();
    });
  });
});

async function cancel(job: Locator): Promise<void> {
  await job.getByRole('button', { name: 'Cancel' }).click();
  await job.getByText('You cancelled this question').waitFor();
}

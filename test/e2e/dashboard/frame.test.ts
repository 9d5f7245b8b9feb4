// The frame of the dashboard in a real Chromium: login, session, keyboard, policy, size.

import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { findViolationsInBothThemes } from '../../support/browser/accessibility.ts';
import { openChromium, skipWithoutChromium } from '../../support/browser/chromium.ts';
import {
  DASHBOARD_PAGES,
  type DashboardPage,
  openDashboard,
  signIn,
} from '../../support/browser/dashboard-page.ts';
import {
  startTestGateway,
  TEST_ADMIN_KEY,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';

const GUESSES = 3;
const MAX_FIRST_SCREEN_BYTES = 200_000;
const built = resolve(import.meta.dirname, '../../../dist/dashboard/web');

suite('the frame of the dashboard', { skip: skipWithoutChromium }, () => {
  let gateway: TestGateway;
  let browser: Browser;
  /** Shared by the tests that do not change the session. */
  let shared: DashboardPage;
  before(async () => {
    browser = await openChromium();
    gateway = await startTestGateway(
      {},
      () => `server: { adminGuessesPerMinute: ${GUESSES} }\nlog: { level: critical }`,
    );
    shared = await openDashboard(browser, gateway.url);
  });
  after(async () => {
    await browser.close();
    await gateway.close();
  });

  test('a wrong key is refused, many are throttled, and the right one signs in', async () => {
    const { page, problems, close } = await openDashboard(browser, gateway.url, { signIn: false });
    const alert = page.getByRole('alert');
    for (let guess = 0; guess <= GUESSES; guess += 1) {
      await page.getByLabel('Admin key').fill(`wrong ${guess}`);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await alert.waitFor();
      if (guess < GUESSES) assert.match(await alert.innerText(), /not the admin key/);
    }
    await page.getByText('Too many wrong keys').waitFor();
    await signIn(page, TEST_ADMIN_KEY);
    assert.deepEqual(problems, []);
    await close();
  });

  test('a session survives a reload, and signing out ends it', async () => {
    const { page, close } = await openDashboard(browser, gateway.url);
    await page.reload();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    const [cookie] = await page.context().cookies();
    assert.deepEqual(
      [cookie?.httpOnly, cookie?.sameSite, await page.evaluate('document.cookie')],
      [true, 'Strict', ''],
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Admin key').waitFor();
    await page.reload();
    await page.getByLabel('Admin key').waitFor();
    await close();
  });

  test('an ended session leads to the login page, and back to the same address', async () => {
    const { page, open, close } = await openDashboard(browser, gateway.url);
    await open('capacity?limits=-reset', 'Capacity');
    await page.context().clearCookies();
    await page.getByText('Your session has ended').waitFor();
    await signIn(page, TEST_ADMIN_KEY);
    await page.getByRole('heading', { level: 1, name: 'Capacity' }).waitFor();
    assert.match(page.url(), /#\/capacity\?limits=-reset$/);
    await close();
  });

  test('shortcuts open pages, the theme and the list of shortcuts', async () => {
    const { page } = shared;
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByRole('heading', { level: 1, name: 'Capacity' }).waitFor();
    await page.keyboard.press('d');
    await page.locator('html[data-theme=dark]').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('axe-core finds no violation on the login page and on pages without data', async () => {
    const { page, openWhole } = shared;
    const login = await openDashboard(browser, gateway.url, { signIn: false });
    assert.deepEqual(await findViolationsInBothThemes(login.page), [], 'login');
    await login.close();
    for (const [address, title] of [...DASHBOARD_PAGES, ['components', 'Components'] as const]) {
      // The gallery shows loading components forever.
      if (address === 'components') await shared.open(address, title);
      else await openWhole(address, title);
      assert.deepEqual(await findViolationsInBothThemes(page), [], address);
    }
  });

  test('the skip link moves the focus to the content', async () => {
    const { page, open } = shared;
    await open('capacity', 'Capacity');
    await page.locator('body').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.id'), 'content');
  });

  test('the time range is in the URL and stays from page to page', async () => {
    const { page, open } = shared;
    await open('overview', 'Overview');
    await page.getByRole('button', { name: '24 h' }).click();
    await page
      .getByRole('link', { name: /^Capacity/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: 'Capacity' }).waitFor();
    assert.match(page.url(), /#\/capacity\?range=24h$/);
  });

  test('the policy forbids inline code, and the pages do without', async () => {
    const { page, problems, open } = shared;
    await open('components', 'Components');
    assert.deepEqual(problems, []);
    const wasRun = await page.evaluate(`new Promise((resolve) => {
      addEventListener('securitypolicyviolation', () => resolve('refused'), { once: true });
      const script = document.createElement('script');
      script.textContent = 'window.wasRun = true';
      document.body.append(script);
    })`);
    assert.equal(wasRun, 'refused');
    assert.equal(await page.evaluate('window.wasRun'), undefined);
  });

  test('the first screen is at most 200 kB gzipped', async () => {
    const { page, open } = shared;
    const loaded = new Set<string>();
    page.on('response', (response) => loaded.add(new URL(response.url()).pathname));
    await open('overview', 'Overview');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.evaluate('document.fonts.ready');
    const assets = [...loaded].filter((path) => path === '/' || path.startsWith('/assets/'));
    const sizes = assets.map((path) => gzippedSize(path === '/' ? 'index.html' : path));
    assert.ok(assets.some((path) => path.includes('overview')));
    const bytes = sizes.reduce((all, size) => all + size, 0);
    assert.ok(bytes <= MAX_FIRST_SCREEN_BYTES, `${bytes} bytes in ${assets.join(', ')}`);
  });

  test('the page loads nothing from other origins', () => {
    const html = readFileSync(join(built, 'index.html'), 'utf8');
    assert.doesNotMatch(html, /(?:src|href)="(?!\/assets\/)/);
    assert.doesNotMatch(html, /<script(?![^>]*src=)|<style|\son\w+=|\sstyle=/);
  });
});

function gzippedSize(path: string): number {
  try {
    return statSync(join(built, `${path}.gz`)).size;
  } catch {
    return statSync(join(built, path)).size;
  }
}

// A page of the dashboard in its own browser context, and the problems in it: violations of the content security
// policy, uncaught errors, errors in the console.

import type { Browser, Page } from 'playwright-core';
import { TEST_ADMIN_KEY } from '../gateway/test-gateway.ts';

export type DashboardPage = {
  readonly page: Page;
  /** Empty while all is well. Expected answers 401 and 429 of the login are not in it. */
  readonly problems: string[];
  /** Opens an address such as `capacity?range=24h`, and waits for its title. */
  readonly open: (address: string, title: string) => Promise<void>;
  /** The same, and waits for its first data. */
  readonly openWhole: (address: string, title: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Every page of the dashboard, and the tabs with lists of their own: address and title. */
export const DASHBOARD_PAGES = [
  ['overview', 'Overview'],
  ['capacity', 'Capacity'],
  ['jobs', 'Jobs'],
  ['jobs?tab=dead', 'Jobs'],
  ['money', 'Money'],
  ['money?tab=all', 'Money'],
  ['money?org=default', 'default'],
  ['cluster', 'Cluster'],
  ['logs', 'Logs and alerts'],
  ['logs?tab=requests', 'Logs and alerts'],
  ['logs?tab=alerts', 'Logs and alerts'],
  ['logs?tab=runbook', 'Logs and alerts'],
  ['try', 'Try it'],
] as const;

export type DashboardPageOptions = {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** false: stays at the login page. */
  readonly signIn?: boolean;
  readonly adminKey?: string;
};

export async function openDashboard(
  browser: Browser,
  url: string,
  options: DashboardPageOptions = {},
): Promise<DashboardPage> {
  const { theme = 'light', width = 1280, height = 800 } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    // During the transition between two themes a colour has the contrast of neither.
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    const isExpected = /status of (?:401|429)/.test(message.text());
    if (message.type() === 'error' && !isExpected) problems.push(message.text());
  });
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  await page.getByLabel('Admin key').waitFor();
  if (options.signIn !== false) await signIn(page, options.adminKey ?? TEST_ADMIN_KEY);
  async function open(address: string, title: string): Promise<void> {
    await page.goto(`${url}/#/${address}`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  }
  return {
    page,
    problems,
    open,
    async openWhole(address, title) {
      await open(address, title);
      const loading = page.locator('[aria-busy=true], .chart-skeleton');
      await loading.first().waitFor({ state: 'detached' });
    },
    close: () => context.close(),
  };
}

export async function signIn(page: Page, adminKey: string): Promise<void> {
  await page.getByLabel('Admin key').fill(adminKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

// Takes every page of the dashboard in every width and theme, and one sheet with all pictures of a state, theme and width side
// by side. The sheets are made by Chromium itself.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { type DashboardPage, openDashboard } from '../support/browser/dashboard-page.ts';
import type { World } from './world.ts';

export const THEMES = ['light', 'dark'] as const;
export const SIZES = [
  { width: 360, height: 780 },
  { width: 1024, height: 768 },
  { width: 1920, height: 1080 },
] as const;

export type View = {
  readonly name: string;
  readonly address: string;
  readonly title: string;
  /** Steps before the picture, such as a click. */
  readonly prepare?: (page: Page) => Promise<void>;
};

/** The charts draw after their data, and the live state comes within a second. */
const SETTLE_MS = 700;
const MAX_WAIT_MS = 6000;

export const VIEWS: readonly View[] = [
  { name: 'overview', address: 'overview', title: 'Overview' },
  { name: 'capacity', address: 'capacity', title: 'Capacity' },
  { name: 'jobs', address: 'jobs', title: 'Jobs' },
  { name: 'dead-letters', address: 'jobs?tab=dead', title: 'Jobs' },
  { name: 'money', address: 'money', title: 'Money' },
  { name: 'organization', address: 'money?org=northwind', title: 'Northwind Support' },
  { name: 'cluster', address: 'cluster', title: 'Cluster' },
  { name: 'logs', address: 'logs', title: 'Logs and alerts' },
  { name: 'requests', address: 'logs?tab=requests', title: 'Logs and alerts' },
  { name: 'alerts', address: 'logs?tab=alerts', title: 'Logs and alerts' },
  {
    name: 'request',
    address: 'logs?tab=requests',
    title: 'Logs and alerts',
    prepare: openStream,
  },
  { name: 'job', address: 'jobs', title: 'Jobs', prepare: (page) => openFirstRow(page, 'Jobs') },
  {
    name: 'try',
    address: 'try?model=claude-sonnet-4-5&locales=en,de,tr',
    title: 'Try it',
    prepare: async (page) => {
      await page
        .getByRole('button', { name: /^Usage limit/ })
        .first()
        .click();
      await page.getByText('429').first().waitFor();
    },
  },
];

export type Pictures = {
  readonly folder: string;
  readonly state: string;
  readonly views: readonly View[];
  /** After each theme of each width. */
  readonly restore?: () => Promise<unknown>;
};

export async function takePictures(
  browser: Browser,
  { url, adminKey }: Pick<World, 'url' | 'adminKey'>,
  { folder, state, views, restore }: Pictures,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const { width, height } of SIZES) {
    for (const theme of THEMES) {
      const dashboard = await openDashboard(browser, url, { theme, width, height, adminKey });
      dashboard.page.setDefaultTimeout(MAX_WAIT_MS);
      for (const view of views)
        await takeOne(dashboard, view, join(folder, `${state}-${view.name}-${width}-${theme}.png`));
      for (const problem of dashboard.problems) process.stdout.write(`problem: ${problem}\n`);
      await dashboard.close();
      await restore?.();
    }
  }
}

async function takeOne(dashboard: DashboardPage, view: View, path: string): Promise<void> {
  const { page, open } = dashboard;
  try {
    await page.goto('about:blank');
    await open(view.address, view.title);
    await page.locator('[aria-busy=true], .chart-skeleton').first().waitFor({ state: 'detached' });
    await view.prepare?.(page);
  } catch (error) {
    process.stdout.write(`${path}: ${String(error).split('\n', 1)[0]}\n`);
  }
  await wait(SETTLE_MS);
  // A window as high as the page: a picture of a scrolled page would show the bar of the narrow layout in its middle.
  const size = page.viewportSize() ?? SIZES[0];
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
  await page.setViewportSize({ width: size.width, height: Math.max(size.height, height) });
  await page.screenshot({ path, animations: 'disabled' });
  await page.setViewportSize(size);
}

/** A stream's timeline has its first content; without a stream the newest request is opened. */
async function openStream(page: Page): Promise<void> {
  const id: unknown =
    await page.evaluate(`fetch('/admin/requests?limit=200').then((answer) => answer.json())
    .then(({ data }) => data.find((row) => row.isStreamed && row.code === 'OK')?.id)`);
  if (typeof id !== 'string') return openFirstRow(page, 'Requests');
  await page.evaluate(`location.hash = '#/logs?tab=requests&request=${id}'`);
  await page.getByRole('dialog').waitFor();
}

async function openFirstRow(page: Page, table: string): Promise<void> {
  await page.getByRole('region', { name: table }).getByRole('row').nth(1).click();
  await page.getByRole('dialog').waitFor();
}

/** One picture with several others, each as wide as `cellPx`, cut at `maxHeightPx`. */
export async function makeSheet(
  browser: Browser,
  files: readonly string[],
  path: string,
  { cellPx = 480, maxHeightPx = 900, columns = 4 } = {},
): Promise<void> {
  const page = await browser.newPage({ viewport: { width: columns * (cellPx + 12), height: 600 } });
  const cells = files.map((file) => {
    const data = readFileSync(file).toString('base64');
    const name = file.split('/').at(-1);
    return `<figure><figcaption>${name}</figcaption><div><img src="data:image/png;base64,${data}"></div></figure>`;
  });
  await page.setContent(`<style>
    body { margin: 0; display: flex; flex-wrap: wrap; gap: 12px; background: #777; font: 12px sans-serif }
    figure { margin: 0; width: ${cellPx}px } figure div { max-height: ${maxHeightPx}px; overflow: hidden } img { width: 100%; display: block }
  </style>${cells.join('')}`);
  writeFileSync(path, await page.screenshot({ fullPage: true }));
  await page.close();
}

// The shop's page in a browser context of its own, with the actions of its user and the errors of its scripts.

import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';

export type ShopPage = {
  readonly page: Page;
  /** Uncaught errors and violations of the page's policy; empty while all is well. */
  readonly problems: readonly string[];
  readonly answers: Locator;
  readonly refusal: Locator;
  readonly job: Locator;
  readonly ask: (question: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function openShopPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<ShopPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    const isRefusal = /Failed to load resource/.test(message.text());
    if (message.type() === 'error' && !isRefusal) problems.push(message.text());
  });
  await page.goto(url);
  return {
    page,
    problems,
    answers: page.locator('.message.assistant:not(.waiting)'),
    refusal: page.getByRole('group', { name: 'The question was not answered' }),
    job: page.getByRole('group', { name: 'Queued question' }),
    async ask(question) {
      await page.getByLabel('Your question').fill(question);
      await page.getByRole('button', { name: 'Send' }).click();
    },
    close: () => context.close(),
  };
}

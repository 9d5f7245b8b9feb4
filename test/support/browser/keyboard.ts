// The Tab key in a page: every control that exists at the start has to get the focus.

import type { Page } from 'playwright-core';

/** Enough for the longest page with a full list. */
const MAX_TABS = 400;
const TABS_AT_ONCE = 10;

/** The controls that the Tab key does not reach, as HTML. */
export async function findUnreached(page: Page): Promise<readonly string[]> {
  await page.locator('.skip').focus();
  const count = Number(await page.evaluate(MARK_CONTROLS));
  if (count === 0) throw new Error('the page has no controls');
  for (let step = 0; step < MAX_TABS; step += 1) {
    await page.keyboard.press('Tab');
    if (step % TABS_AT_ONCE === 0 && (await page.evaluate(UNREACHED_COUNT)) === 0) break;
  }
  const found: unknown = await page.evaluate(UNREACHED);
  return Array.isArray(found) ? found.map(String) : [String(found)];
}

/** Tabs other than the active one, and similar controls, are reached by arrow keys: they have a negative tabindex. */
const MARK_CONTROLS = `(() => {
  const controls = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex="0"]';
  window.controls = [...document.querySelectorAll(controls)]
    .filter((element) => element.checkVisibility() && element.tabIndex >= 0);
  window.reached = new Set([document.activeElement]);
  document.addEventListener('focusin', ({ target }) => window.reached.add(target));
  return window.controls.length;
})()`;

const UNREACHED_COUNT = 'window.controls.filter((each) => !window.reached.has(each)).length';

const UNREACHED = `window.controls.filter((each) => !window.reached.has(each))
  .map((each) => (each.isConnected ? '' : 'replaced meanwhile: ') + each.outerHTML.slice(0, 200))`;

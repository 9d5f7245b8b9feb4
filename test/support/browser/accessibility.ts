// The findings of axe-core in a page. The page's policy allows no injected script, so the script enters through the
// debugger's protocol, to which the policy does not apply.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const ALL_RULES = `['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']`;
/** The rules that depend on colours. */
const COLOUR_RULES = `{ type: 'rule', values: ['color-contrast', 'link-in-text-block'] }`;

/** Checks the page in its current state; one line per violation: rule, impact, elements. */
export function findViolations(page: Page): Promise<readonly string[]> {
  return runAxe(page, ALL_RULES);
}

/** In both themes. The other theme has the same elements, so only the rules about colours run again. */
export async function findViolationsInBothThemes(page: Page): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await runAxe(page, ALL_RULES);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await runAxe(page, COLOUR_RULES);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light, ...dark.map((violation) => `dark: ${violation}`)];
}

async function runAxe(page: Page, rules: string): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(source);
  const found: unknown = await page.evaluate(`axe.run(document, {
    runOnly: ${rules}, resultTypes: ['violations'], preload: false,
  }).then(({ violations }) => violations.map(({ id, impact, nodes }) =>
    id + ' (' + impact + '): ' + nodes.map((node) => node.target.join(' ') + ' | ' + node.failureSummary).join(' ; ')))`);
  return Array.isArray(found) ? found.map(String) : [String(found)];
}

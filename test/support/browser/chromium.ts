// A real Chromium for tests of the dashboard. CHROMIUM_PATH names it; otherwise the usual paths of Linux and macOS count.
// Without a Chromium the tests are skipped with a reason.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const root = resolve(import.meta.dirname, '../../..');
const USUAL_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const path = process.env.CHROMIUM_PATH ?? USUAL_PATHS.find((each) => existsSync(each));

/** The reason to skip a test, for node:test; false where Chromium exists. */
export const skipWithoutChromium =
  path === undefined ? 'no Chromium found: install it or set CHROMIUM_PATH' : false;

/** Builds the pages if their sources have changed. */
export async function openChromium(): Promise<Browser> {
  spawnSync(process.execPath, [join(root, 'scripts/ensure-dashboard.mjs')], { stdio: 'inherit' });
  return chromium.launch({
    ...(path === undefined ? {} : { executablePath: path }),
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

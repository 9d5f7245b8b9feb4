// The hooks of `spillway/react` on both supported versions of React: on a server, and in a real browser with their effects. The
// page's requests are answered by the test, as the shop's server would answer them.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { build } from 'esbuild';
import type { Browser, Route } from 'playwright-core';
import { openChromium, skipWithoutChromium } from '../../support/browser/chromium.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PACKAGES = { 18: ['react-18', 'react-dom-18'], 19: ['react', 'react-dom'] } as const;
type ReactVersion = keyof typeof PACKAGES;

const COMPONENT = `
import { version, createElement as element } from 'react';
import { useBuildEvents, useJob, useRetryCountdown, useSpillwayError } from './src/react/index.ts';

export function Panel({ retryAt }) {
  const error = useSpillwayError({ error: { code: 'RATE_LIMITED', message: 'Busy.', queueAvailable: true } });
  const { text, isReady } = useRetryCountdown(retryAt);
  const { job, follow } = useJob(undefined, { storageKey: 'job' });
  const { events, isFinished } = useBuildEvents('/v1/builds/b1/events');
  return element('main', null,
    element('p', null, version),
    element('p', null, error.message + ' ' + error.canRetry + ' ' + error.canQueue),
    element('p', { id: 'countdown' }, isReady ? 'ready' : 'wait ' + text),
    element('button', { onClick: () => follow('/v1/jobs/j1') }, 'follow'),
    element('p', { id: 'job' }, job ? job.status + ' ' + job.output : 'none'),
    element('p', { id: 'build' }, events.length + ' ' + isFinished));
}
`;

async function bundle(version: ReactVersion, code: string, platform: 'browser' | 'node') {
  const [react, reactDom] = PACKAGES[version];
  const modules = join(ROOT, 'node_modules');
  const { outputFiles } = await build({
    stdin: { contents: COMPONENT + code, resolveDir: ROOT },
    bundle: true,
    write: false,
    platform,
    format: platform === 'node' ? 'cjs' : 'iife',
    globalName: 'page',
    // The packages of React import each other by their usual names.
    alias: { react: join(modules, react), 'react-dom': join(modules, reactDom) },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]?.text ?? '';
}

for (const version of [18, 19] as const)
  test(`the hooks render on a server with React ${version}`, async () => {
    const code = `import { renderToString } from 'react-dom/server';
      console.log(renderToString(element(Panel, { retryAt: Date.now() + 60_000 })));`;
    const input = await bundle(version, code, 'node');
    const { stdout, stderr } = spawnSync(process.execPath, ['-'], { input, encoding: 'utf8' });
    const html = stdout.replaceAll('<!-- -->', '');
    assert.equal(stderr, '');
    assert.match(html, new RegExp(`<p>${version}\\.\\d`));
    assert.match(html, /<p>Busy\. true true<\/p>/);
    assert.match(html, /<p id="countdown">wait <\/p>.*<p id="job">none<\/p><p id="build">0 false/);
  });

suite('in a browser', { skip: skipWithoutChromium }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser.close());

  for (const version of [18, 19] as const)
    test(`the hooks count down, follow a job across a reload and a build with React ${version}`, async () => {
      const code = `import { createRoot } from 'react-dom/client';
        createRoot(document.getElementById('root')).render(element(Panel, { retryAt: Date.now() + 1500 }));`;
      const script = await bundle(version, code, 'browser');
      const page = await browser.newPage();
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(error.message));
      const job = { id: 'j1', status: 'running', output: '' };
      await page.route('http://shop.example/**', (route) => answer(route, script, job));
      await page.goto('http://shop.example/');
      await page.locator('#countdown', { hasText: 'wait 0:0' }).waitFor();
      await page.locator('#countdown', { hasText: 'ready' }).waitFor();
      await page.locator('#build', { hasText: '2 true' }).waitFor();
      await page.getByRole('button').click();
      await page.locator('#job', { hasText: 'running' }).waitFor();
      await page.reload();
      await page.locator('#job', { hasText: 'running' }).waitFor();
      Object.assign(job, { status: 'succeeded', output: 'Done.' });
      await page.locator('#job', { hasText: 'succeeded Done.' }).waitFor();
      assert.ok((await page.locator('p').first().textContent())?.startsWith(`${version}.`));
      assert.deepEqual(problems, []);
      await page.close();
    });
});

/** The page, its script, a job and its events, and the events of a build as a list. */
function answer(route: Route, script: string, job: { status: string }): Promise<void> {
  const { pathname } = new URL(route.request().url());
  if (pathname === '/page.js')
    return route.fulfill({ contentType: 'text/javascript', body: script });
  if (pathname === '/v1/jobs/j1') return route.fulfill({ json: job });
  if (pathname === '/v1/jobs/j1/events')
    return route.fulfill({ json: { data: [event(job.status === 'running' ? 1 : 2, job.status)] } });
  if (pathname === '/v1/builds/b1/events')
    return route.fulfill({ json: { data: [event(1, 'step'), event(2, 'step', true)] } });
  const html = '<!doctype html><div id="root"></div><script src="/page.js"></script>';
  return route.fulfill({ contentType: 'text/html', body: html });
}

function event(id: number, type: string, finished = false): object {
  return { id, type, buildId: 'b1', createdAt: 1, finished, data: {}, error: null };
}

// `npm run screenshots [-- folder [state …]]`: takes every page of the dashboard at 360, 1024 and 1920 px, light and dark, in
// three states: empty (a fresh start), alive (a past and load), fire (limits, open circuits, dead letters, alerts, a server
// down, a spent budget). The pages of the cluster come from three servers and need REDIS_URL, DATABASE_URL and RABBITMQ_URL;
// without them those pictures show the single server.

import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { openChromium } from '../support/browser/chromium.ts';
import { administer, ask } from '../support/gateway/call-rig.ts';
import { createHistoryClock } from './history-clock.ts';
import {
  createTenants,
  keepLoad,
  liveThroughHistory,
  PAST_DAYS,
  setOnFire,
  submitJobs,
} from './load.ts';
import { makeSheet, SIZES, THEMES, takePictures, VIEWS } from './take-pictures.ts';
import { type ClusterWorld, openCluster, openEmbedded, type World } from './world.ts';

const [folderName = 'screenshots', ...wanted] = process.argv.slice(2);
const folder = resolve(folderName);
const states = wanted.length > 0 ? wanted : ['empty', 'alive', 'fire'];
const hasServices = Boolean(
  process.env['REDIS_URL'] && process.env['DATABASE_URL'] && process.env['RABBITMQ_URL'],
);
/** `cluster` among the states: only the pictures of three servers. */
const isClusterOnly = states.includes('cluster');
const DAY_MS = 86_400_000;
/** Long enough for the alerts of a minute, and for a silent server to count as down. */
const BURNING_MS = 40_000;

const browser = await openChromium();
try {
  if (states.includes('empty')) await pictureEmpty(browser);
  if (states.some((state) => state !== 'empty')) {
    if (!isClusterOnly) await pictureLife(browser);
    if (hasServices) await pictureCluster(browser);
  }
  await makeSheets(browser);
} finally {
  await browser.close();
}

async function pictureEmpty(browser: Browser): Promise<void> {
  const world = await openEmbedded();
  const views = VIEWS.filter(({ name }) => !['organization', 'request', 'job'].includes(name));
  const unsent = views.map((view) =>
    view.name === 'try' ? { name: 'try', address: 'try', title: 'Try it' } : view,
  );
  await takePictures(browser, world, { folder, state: 'empty', views: unsent });
  await world.close();
}

async function pictureLife(browser: Browser): Promise<void> {
  const clock = createHistoryClock(Date.now() - (PAST_DAYS + 1) * DAY_MS);
  const world = await openEmbedded(clock);
  const tenants = await createTenants(world);
  await liveThroughHistory(world, tenants, clock);
  const endLoad = keepLoad(tenants);
  const views = VIEWS.filter(({ name }) => !hasServices || name !== 'cluster');
  if (states.includes('alive')) {
    await wait(5000);
    const restore = () => clearLimit(world);
    await takePictures(browser, world, { folder, state: 'alive', views, restore });
  }
  if (states.includes('fire')) {
    await setOnFire(world, tenants);
    await wait(BURNING_MS);
    await takePictures(browser, world, { folder, state: 'fire', views });
  }
  await endLoad();
  await world.close();
}

/** The limit that the picture of Try it has left. */
async function clearLimit(world: World): Promise<void> {
  await administer(world, 'DELETE', '/admin/limits/anthropic/us-east');
  await administer(world, 'POST', '/admin/breakers/anthropic/us-east/reset');
}

async function pictureCluster(browser: Browser): Promise<void> {
  const world = await openCluster();
  const views = VIEWS.filter(({ name }) => name === 'cluster');
  try {
    await administer(world, 'PATCH', '/admin/orgs/default', {
      requestsPerMinute: 100_000,
      monthlyBudgetUsd: 1000,
    });
    const tenants = world.urls.map((url) => ({ url, apiKey: world.apiKey, weight: 1 }));
    world.simulator.setScenario({ latencyMs: 600, jitterMs: 1500 });
    const endLoad = keepLoad(tenants, 12);
    await wait(15_000);
    if (states.includes('alive'))
      await takePictures(browser, world, { folder, state: 'alive', views });
    await burnCluster(world);
    if (states.includes('fire'))
      await takePictures(browser, world, { folder, state: 'fire', views });
    await endLoad();
  } finally {
    await world.close();
  }
}

async function burnCluster(world: ClusterWorld): Promise<void> {
  const [first = '', second = ''] = world.urls;
  const region = { preset: 'usage-limit', resetInSeconds: 1500 };
  world.simulator.setScenario({ provider: 'anthropic', ...region });
  await ask({ url: first, apiKey: world.apiKey });
  await administer(
    { url: second, adminKey: world.adminKey },
    'POST',
    '/cluster/servers/gateway-use-2/drain',
  );
  await submitJobs([{ url: first, apiKey: world.apiKey, weight: 1 }], 5);
  await world.killOne();
  await wait(BURNING_MS);
}

async function makeSheets(browser: Browser): Promise<void> {
  const { readdirSync } = await import('node:fs');
  const files = readdirSync(folder).filter((name) => name.endsWith('.png'));
  for (const state of states)
    for (const { width } of SIZES)
      for (const theme of THEMES) {
        const names = VIEWS.map(({ name }) => `${state}-${name}-${width}-${theme}.png`);
        const found = names
          .filter((name) => files.includes(name))
          .map((name) => join(folder, name));
        const path = join(folder, `sheet-${state}-${width}-${theme}.png`);
        const cells = width === 360 ? { columns: 7, cellPx: 270 } : { columns: 4, cellPx: 480 };
        await makeSheet(browser, found, path, { maxHeightPx: 1000, ...cells });
      }
}

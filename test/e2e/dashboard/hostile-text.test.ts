// Hostile text in every field that a page of the dashboard shows stays text in a real Chromium: no element, no script, no
// dialog and no violation of the content security policy comes of it. Fields that the API would refuse are written to the
// store directly, as a foreign producer, an older version or another program may have written them.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, suite, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { calendarMonth } from '../../../src/kernel/calendar/calendar-month.ts';
import { openChromium, skipWithoutChromium } from '../../support/browser/chromium.ts';
import { type DashboardPage, openDashboard } from '../../support/browser/dashboard-page.ts';
import { CREATED, HOSTILE, MARKUP } from '../../support/browser/hostile-text.ts';
import { administer, ask, CLAUDE } from '../../support/gateway/call-rig.ts';
import {
  SINGLE_ATTEMPTS,
  startTestGateway,
  type TestGateway,
} from '../../support/gateway/test-gateway.ts';

const PROMPT = 'canary-prompt-in-no-page';

suite('hostile text on the dashboard', { skip: skipWithoutChromium, timeout: 120_000 }, () => {
  let gateway: TestGateway;
  let browser: Browser;
  let dashboard: DashboardPage;
  let requestId = '';

  before(async () => {
    browser = await openChromium();
    gateway = await startTestGateway({ LOG_LEVEL: 'info' }, () => SINGLE_ATTEMPTS);
    requestId = await sendHostileRequests();
    writeHostileRows();
    dashboard = await openDashboard(browser, gateway.url);
    dashboard.page.setDefaultTimeout(15_000);
  });
  after(async () => {
    await browser?.close();
    await gateway?.close();
  });

  /** Through the API; resolves to the id of a failed request. */
  async function sendHostileRequests(): Promise<string> {
    await administer(gateway, 'POST', '/admin/orgs', { id: 'evil', name: MARKUP });
    const { key } = await administer(gateway, 'POST', '/admin/orgs/evil/keys', { name: MARKUP });
    const caller = { url: gateway.url, apiKey: String(key) };
    const headers = { 'x-user-id': MARKUP, 'x-correlation-id': MARKUP, 'x-build-id': MARKUP };
    const messages = [{ role: 'user', content: PROMPT }];
    const body = { model: CLAUDE, max_tokens: 50, messages, metadata: { user_id: HOSTILE } };
    await ask(caller, { body, headers });
    await ask(caller, { body: { ...body, model: HOSTILE.slice(0, 100) }, headers });
    await ask(caller, { path: `/v1/${encodeURIComponent(MARKUP)}`, headers });
    await ask(caller, {
      path: '/v1/jobs',
      body: { id: MARKUP, model: CLAUDE, prompt: PROMPT, metadata: { [MARKUP]: HOSTILE } },
      headers,
    });
    // No page shows build events themselves; their lines in the log name the build and the type.
    const texts = { title: MARKUP, description: HOSTILE, error: HOSTILE, data: { note: HOSTILE } };
    const build = `/v1/builds/${encodeURIComponent(MARKUP)}/events`;
    const reported = await ask(caller, { path: build, body: { type: MARKUP, ...texts }, headers });
    assert.equal(reported.status < 300, true, reported.text);
    gateway.simulator.setScenario({ preset: 'server-error', message: HOSTILE });
    const failed = await ask(caller, { body, headers });
    gateway.simulator.resetScenario();
    return failed.headers.get('x-request-id') ?? '';
  }

  /** Every text column that a page shows. */
  function writeHostileRows(): void {
    const database = new DatabaseSync(join(gateway.dataDir, 'spillway.db'));
    const now = Date.now();
    const insert = (table: string, row: Readonly<Record<string, string | number | null>>) => {
      const columns = Object.keys(row);
      const places = columns.map(() => '?').join(', ');
      database
        .prepare(`insert into ${table} (${columns.join(', ')}) values (${places})`)
        .run(...Object.values(row));
    };
    database.exec('pragma busy_timeout = 5000');
    database.prepare('update organizations set name = ? where id = ?').run(HOSTILE, 'evil');
    database
      .prepare('update api_keys set name = ?, prefix = ? where organization_id = ?')
      .run(HOSTILE, HOSTILE, 'evil');
    insert('budget_periods', {
      organization_id: 'evil',
      month: calendarMonth(now, 'UTC').number,
      kind: 'organization',
      scope_id: 'evil',
      posted_nanos: 99_000_000_000,
      reserved_nanos: 0,
    });
    insert('jobs', {
      id: 'job_evil',
      organization_id: 'evil',
      public_id: HOSTILE,
      origin: 'http',
      state: 'failed',
      fence: 3,
      run: 1,
      attempts: 1,
      losses: 0,
      event_count: 2,
      priority: 5,
      queue: HOSTILE,
      provider: HOSTILE,
      model: HOSTILE,
      key_id: HOSTILE,
      user_id: HOSTILE,
      request_id: HOSTILE,
      metadata: JSON.stringify({ [MARKUP]: HOSTILE }),
      wait_code: HOSTILE,
      error: JSON.stringify({ code: 'INTERNAL', params: {}, retryable: false }),
      run_at: now,
      published_at: now,
      created_at: now,
      updated_at: now,
      started_at: now,
      finished_at: now,
    });
    insert('job_events', {
      job_id: 'job_evil',
      sequence: 1,
      type: 'queued',
      data: JSON.stringify({ note: HOSTILE }),
      created_at: now,
    });
    insert('job_attempts', {
      job_id: 'job_evil',
      run: 1,
      attempt: 1,
      provider: HOSTILE,
      model: HOSTILE,
      worker_id: HOSTILE,
      outcome: 'failed',
      error_code: HOSTILE,
      cost_nanos: 5,
      started_at: now - 10,
      finished_at: now,
    });
    insert('dead_letters', {
      id: `letter-${MARKUP}`,
      job_id: 'job_evil',
      organization_id: HOSTILE,
      queue: HOSTILE,
      body: HOSTILE,
      error_code: HOSTILE,
      error_message: HOSTILE,
      attempts: 1,
      created_at: now,
    });
    insert('alerts', {
      id: 'alert-evil',
      name: 'dead-letters',
      metric: HOSTILE,
      subject: HOSTILE,
      severity: 'critical',
      message: HOSTILE,
      value: 1,
      threshold: 0,
      started_at: now,
      server_id: HOSTILE,
    });
    insert('usage_records', {
      id: 'req_evil.1',
      request_id: 'req_evil',
      attempt: 1,
      organization_id: HOSTILE,
      key_id: HOSTILE,
      user_id: HOSTILE,
      provider: HOSTILE,
      model: HOSTILE,
      input_tokens: 1,
      output_tokens: 1,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      cache_write_1h_tokens: 0,
      reasoning_tokens: 0,
      cost_nanos: 7,
      category: HOSTILE,
      latency_ms: 3,
      status: HOSTILE,
      streamed: 1,
      estimated: 0,
      created_at: now,
      first_content_ms: 1,
    });
    const hour = now - (now % 3_600_000);
    insert('usage_hours', {
      hour_start: hour - 3_600_000,
      provider: HOSTILE,
      model: HOSTILE,
      attempts: 1,
      cost_nanos: 9_000_000_000,
    });
    insert('series_errors', {
      resolution_ms: 60_000,
      starts_at: now - (now % 60_000) - 60_000,
      source: HOSTILE,
      code: HOSTILE,
      failures: 9,
    });
    insert('audit_log', {
      id: 'audit-evil',
      actor: HOSTILE,
      action: HOSTILE,
      target: HOSTILE,
      created_at: now,
    });
    database.close();
  }

  /** Opens a page, waits for the hostile text where the page has some, and asserts that it is text. */
  async function assertHarmless(address: string, title: string, shows: boolean): Promise<void> {
    const { page, problems, open } = dashboard;
    await open(address, title);
    await page.locator('[aria-busy=true], .chart-skeleton').first().waitFor({ state: 'detached' });
    if (shows) await page.getByText('onerror="window.owned=1"', { exact: false }).first().waitFor();
    const found: unknown = JSON.parse(String(await page.evaluate(CREATED)));
    assert.partialDeepStrictEqual(found, { owned: null, elements: [] }, address);
    assert.ok(!(await page.content()).includes(PROMPT), `${address} shows a prompt`);
    assert.deepEqual(problems, [], address);
  }

  const PAGES = [
    ['overview', 'Overview', false],
    ['capacity', 'Capacity', false],
    ['jobs', 'Jobs', true],
    ['jobs?status=failed', 'Jobs', true],
    ['jobs?tab=dead', 'Jobs', true],
    ['jobs?job=job_evil', 'Jobs', true],
    ['money', 'Money', true],
    ['money?tab=all', 'Money', true],
    ['cluster', 'Cluster', false],
    ['logs', 'Logs and alerts', true],
    ['logs?tab=requests', 'Logs and alerts', true],
    ['logs?tab=requests&request=req_evil', 'Logs and alerts', true],
    ['logs?tab=alerts', 'Logs and alerts', true],
    ['try', 'Try it', false],
  ] as const;

  for (const [address, title, shows] of PAGES)
    test(`#/${address} shows hostile text as text`, () => assertHarmless(address, title, shows));

  test('no page scrolls sideways in a narrow window, however long a name is', async () => {
    const { page, open } = dashboard;
    const size = page.viewportSize();
    const wide: string[] = [];
    await page.setViewportSize({ width: 360, height: 780 });
    for (const [address, title] of [...PAGES, ['money?org=evil', MARKUP] as const]) {
      await open(address, title);
      await page
        .locator('[aria-busy=true], .chart-skeleton')
        .first()
        .waitFor({ state: 'detached' });
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
      if (width > 360) wide.push(`${address}: ${width} px`);
    }
    assert.deepEqual(wide, []);
    if (size) await page.setViewportSize(size);
  });

  test("an organisation's page, a log entry and a failed request show hostile text as text", async () => {
    await assertHarmless('money?org=evil', MARKUP, true);
    await assertHarmless(`logs?tab=requests&request=${requestId}`, 'Logs and alerts', false);
    const { page, problems } = dashboard;
    await dashboard.open('logs?type=request', 'Logs and alerts');
    const table = page.getByRole('region', { name: 'Log entries' });
    await table.getByRole('row').nth(1).click();
    const found: unknown = JSON.parse(String(await page.evaluate(CREATED)));
    assert.partialDeepStrictEqual(found, { owned: null, elements: [] });
    assert.deepEqual(problems, []);
  });
});

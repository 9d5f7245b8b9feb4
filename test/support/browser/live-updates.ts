// Live updates of the dashboard faster than the server sends them, through the page's own event stream, and the page's
// tasks during the updates. Every update changes every part of the overview, and the next one waits until the figures
// and all charts of the one before are drawn.

import type { Browser, Page } from 'playwright-core';

export type TaskTimes = {
  /** The updates with drawn figures and charts. */
  readonly drawn: number;
  /** From `PerformanceObserver`: tasks of more than 50 ms from start to end, in whole milliseconds. */
  readonly longTasks: readonly number[];
  /** The maximum processor time of one task of the page. */
  readonly longestOwnMs: number;
};

/** Opens the page again with access to its event stream; call `driveUpdates` after it. */
export async function catchStream(page: Page): Promise<void> {
  await page.addInitScript(CATCH_STREAM);
  await page.reload();
}

export async function driveUpdates(
  browser: Browser,
  page: Page,
  updates: number,
  charts: number,
): Promise<TaskTimes> {
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  const found: unknown = await page.evaluate(`(${DRIVE})(${updates}, ${charts})`);
  const trace: unknown = JSON.parse((await browser.stopTracing()).toString());
  const { drawn, longTasks } = found as { drawn: number; longTasks: number[] };
  return { drawn, longTasks, longestOwnMs: longestOwnTask(trace as Trace) };
}

type TraceEvent = {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the thread's own processor time. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
};
type Trace = { readonly traceEvents: readonly TraceEvent[] };

const TASK_NAMES = new Set(['RunTask', 'ThreadControllerImpl::RunTask']);

/** In milliseconds, of the main threads of pages. */
function longestOwnTask({ traceEvents }: Trace): number {
  const mainThreads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, pid, tid, tdur }) =>
      TASK_NAMES.has(name) && tdur !== undefined && mainThreads.has(`${pid} ${tid}`),
  );
  if (tasks.length === 0) throw new Error('the trace has no task of a page');
  return Math.max(...tasks.map(({ tdur }) => tdur ?? 0)) / 1000;
}

const CATCH_STREAM = `(() => {
  const Native = EventSource;
  window.EventSource = class extends Native {
    constructor(...given) {
      super(...given);
      window.stream = this;
      this.addEventListener('state', (event) => {
        if (!event.isTrusted) return;
        window.lastState = event.data;
        if (window.isDriven) event.stopImmediatePropagation();
      });
    }
  };
  const clear = CanvasRenderingContext2D.prototype.clearRect;
  window.drawings = 0;
  CanvasRenderingContext2D.prototype.clearRect = function (...given) {
    window.drawings += 1;
    return clear.apply(this, given);
  };
})()`;

const DRIVE = `async (updates, charts) => {
  const MAX_FRAMES = 120;
  const PACE_MS = 120;
  const frame = () => new Promise(requestAnimationFrame);
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const longTasks = [];
  const observer = new PerformanceObserver((list) =>
    longTasks.push(...list.getEntries().map(({ duration }) => Math.round(duration))));
  while (window.lastState === undefined) await frame();
  window.isDriven = true;
  await pause(500);
  observer.observe({ type: 'longtask' });
  const note = document.querySelector('.stat-note');
  let drawn = 0;
  for (let update = 1; update <= updates; update += 1) {
    const state = JSON.parse(window.lastState);
    const requests = 1000 + update;
    Object.assign(state.minute, {
      requests,
      errors: update,
      errorsByCode: { PROVIDER_UNAVAILABLE: update, RATE_LIMITED: update % 7 },
      latencyMs: { p50: 400 + update, p95: 900 + 10 * update, p99: 2000 + 20 * update },
      costUsd: 0.1 * update,
    });
    state.now += update * 1000;
    state.findings = [...state.findings, {
      id: 'driven', severity: 'degraded', message: update + ' jobs wait', action: 'Nothing.',
      since: state.now, until: state.now + 60000, page: 'jobs', pageQuery: '',
    }];
    state.state = { ...state.state, status: 'degraded', parts: [{ text: update + ' jobs wait', until: state.now }] };
    const before = window.drawings;
    stream.dispatchEvent(new MessageEvent('state', { data: JSON.stringify(state) }));
    const shown = requests.toLocaleString('en-US') + ' this minute';
    for (let count = 0; count < MAX_FRAMES; count += 1) {
      await frame();
      if (note.textContent.includes(shown) && window.drawings - before >= charts) {
        drawn += 1;
        break;
      }
    }
    await pause(PACE_MS);
  }
  window.isDriven = false;
  await pause(100);
  observer.disconnect();
  return { drawn, longTasks };
}`;

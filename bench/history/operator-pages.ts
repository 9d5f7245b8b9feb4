// The readings of the dashboard's pages, and a simulated operator that requests all of them.

import { BENCH_ADMIN_KEY } from '../processes/gateway-settings.ts';
import type { Subject } from '../subject.ts';
import type { History } from './history-sql.ts';

const DAY_MS = 86_400_000;

export type Page = { readonly name: string; readonly path: string };

/** `turn` varies the query where possible, so that each request causes a new reading. */
export function pagesAt(turn: number, { usageRecords, jobs }: History): readonly Page[] {
  const to = Date.now() - turn * 1000;
  const range = (days: number) => `from=${to - days * DAY_MS}&to=${to}`;
  const inTheMiddle = (rows: number) =>
    String((Math.floor(rows / 2) + turn) % rows).padStart(24, '0');
  return [
    { name: 'overview, a day', path: `/admin/dashboard/overview?${range(1)}` },
    { name: 'overview, a week', path: `/admin/dashboard/overview?${range(7)}` },
    { name: 'live state', path: '/admin/dashboard/live' },
    { name: 'findings of the cluster', path: '/cluster/status' },
    { name: 'jobs, a day', path: `/admin/dashboard/jobs?${range(1)}` },
    { name: 'jobs', path: '/admin/jobs' },
    { name: 'jobs that failed', path: '/admin/jobs?status=failed' },
    { name: 'jobs that succeeded', path: '/admin/jobs?status=succeeded' },
    { name: 'delayed jobs', path: '/admin/jobs?status=delayed' },
    { name: 'jobs of an organisation', path: `/admin/jobs?org=org-${turn}` },
    { name: 'a job with its timeline', path: `/admin/jobs/job_${inTheMiddle(jobs)}` },
    { name: 'dead letters', path: '/admin/dlq?fields=summary' },
    { name: 'dead letters by a text', path: `/admin/dlq?fields=summary&q=absent-${turn}` },
    { name: 'requests, a month', path: `/admin/requests?${range(30)}` },
    { name: 'requests that failed', path: `/admin/requests?code=failed&${range(30)}` },
    {
      name: 'requests of an organisation',
      path: `/admin/requests?organizationId=org-${turn}&${range(30)}`,
    },
    {
      name: 'a request with its timeline',
      path: `/admin/requests/req_${inTheMiddle(usageRecords)}`,
    },
    { name: 'organisations by urgency', path: '/admin/dashboard/money' },
    { name: "an organisation's burn-down", path: `/admin/dashboard/money/org-${turn}` },
    { name: "an organisation's spending", path: `/admin/dashboard/spend?org=org-${turn}` },
    { name: 'spending of all', path: '/admin/dashboard/spend' },
    { name: 'organisations', path: '/admin/orgs' },
    { name: 'organisations by a text', path: `/admin/orgs?q=absent-${turn}` },
    { name: "an organisation's keys", path: `/admin/orgs/org-${turn}/keys` },
    { name: 'log entries', path: '/admin/logs' },
    { name: 'alerts', path: '/admin/alerts' },
  ];
}

const OPERATOR = { authorization: `Bearer ${BENCH_ADMIN_KEY}` };

/** The milliseconds of a reading. */
export async function timeOf(
  { port, name }: Subject,
  { path }: Page,
  signal: AbortSignal,
): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: OPERATOR, signal });
  const text = await answer.text();
  if (!answer.ok)
    throw new Error(`${name}: ${path} answered ${answer.status}: ${text.slice(0, 200)}`);
  return performance.now() - startedAt;
}

/** Opens the live stream and reads every page once a second, until the returned function is called. */
export function viewDashboard(subject: Subject, history: History, signal: AbortSignal): () => void {
  const leaving = new AbortController();
  const until = AbortSignal.any([signal, leaving.signal]);
  const live = `http://127.0.0.1:${subject.port}/admin/dashboard/live`;
  const headers = { ...OPERATOR, accept: 'text/event-stream' };
  void fetch(live, { headers, signal: until })
    .then(async (answer) => {
      for await (const _ of answer.body ?? []) if (until.aborted) return;
    })
    .catch(() => {});
  let turn = 0;
  const timer = setInterval(() => {
    turn += 1;
    for (const page of pagesAt(turn % 100, history))
      void timeOf(subject, page, until).catch(() => {});
  }, 1000);
  return () => {
    clearInterval(timer);
    leaving.abort();
  };
}

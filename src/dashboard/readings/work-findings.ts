// Findings about jobs and money; `write-findings.ts` has all others. Pure.

import type { Finding } from '../api/findings.ts';
import type { Facts } from './facts.ts';

/** Jobs that could run have waited longer than this. */
const MAX_WAIT_MS = 300_000;
const DAY_MS = 86_400_000;

export function jobFindings(facts: Facts): Finding[] {
  return [...queueFindings(facts), ...deadLetterFindings(facts)];
}

function queueFindings({ queues, now }: Facts): Finding[] {
  return (queues ?? []).flatMap(({ queue, provider, ready, oldestAt }): Finding[] => {
    const base = {
      id: `queue:${queue}`,
      kind: 'queue',
      severity: 'degraded',
      until: null,
      page: 'jobs',
      pageQuery: '',
    } as const;
    const subject = provider ?? queue;
    if (ready === null)
      return [
        {
          ...base,
          message: `The queue of ${subject} cannot be read`,
          action: 'Check the broker and the store.',
          since: null,
        },
      ];
    if (oldestAt === null || ready === 0 || now - oldestAt <= MAX_WAIT_MS) return [];
    return [
      {
        ...base,
        message: `${jobs(ready)} for ${subject} ${ready === 1 ? 'waits' : 'wait'} longer than five minutes`,
        action: 'Check that a worker of this provider runs; run more workers if all are busy.',
        since: oldestAt,
      },
    ];
  });
}

function deadLetterFindings({ deadLetters = 0 }: Facts): Finding[] {
  if (deadLetters === 0) return [];
  const count =
    deadLetters >= 1000 ? 'At least 1,000 dead letters wait' : deadLetterText(deadLetters);
  return [
    {
      id: 'dead-letters',
      kind: 'dead-letters',
      severity: 'degraded',
      message: `${count} for a decision`,
      action: 'Read the reasons, then retry or purge them.',
      since: null,
      until: null,
      page: 'jobs',
      pageQuery: 'tab=dead',
    },
  ];
}

function deadLetterText(count: number): string {
  return count === 1 ? 'One dead letter waits' : `${count} dead letters wait`;
}

export function budgetFindings({ budgets, now }: Facts): Finding[] {
  return (budgets ?? []).flatMap((spend): Finding[] => {
    const { organizationId, name, status, usedRatio, forecastExhaustedAt, resetAt } = spend;
    if (status === 'good') return [];
    const percent = Math.round((usedRatio ?? 1) * 100);
    const isOver = status === 'bad';
    const inDays =
      forecastExhaustedAt === null
        ? null
        : Math.max(0, Math.round((forecastExhaustedAt - now) / DAY_MS));
    return [
      {
        id: `budget:${organizationId}`,
        kind: 'budget',
        severity: isOver ? 'bad' : 'degraded',
        message: isOver
          ? `${name} has used its budget`
          : `${name} has used ${percent} % of its budget${inDays === null ? '' : `, which lasts about ${days(inDays)}`}`,
        action: 'Raise the monthly budget of the organisation, or let it end with the month.',
        since: null,
        until: isOver ? resetAt : null,
        page: 'money',
        pageQuery: `org=${encodeURIComponent(organizationId)}`,
      },
    ];
  });
}

function jobs(count: number): string {
  return count === 1 ? 'One job' : `${count} jobs`;
}

function days(count: number): string {
  if (count === 0) return 'less than a day';
  return count === 1 ? 'one day' : `${count} days`;
}

// The one sentence about the cluster, and the state of each page. Pure: computed from the same findings as the list on
// the overview, so that the three agree.

import type { Finding, OverallState, PageName, StatePart, Status } from '../api/findings.ts';
import type { LiveAlert } from '../api/live.ts';
import type { Facts } from './facts.ts';

const MAX_PARTS = 3;
const ORDER: readonly Status[] = ['good', 'unknown', 'degraded', 'bad'];

export function overallState(facts: Facts, findings: readonly Finding[]): OverallState {
  const parts = sentenceParts(facts, findings);
  return {
    status: worst(findings.map(({ severity }) => severity)),
    sentence: `${parts.map(partText).join('; ')}.`,
    parts,
    pages: pageStates(facts, findings),
  };
}

function sentenceParts(facts: Facts, findings: readonly Finding[]): readonly StatePart[] {
  const waiting = (facts.queues ?? []).reduce(
    (sum, { ready, delayed }) => sum + (ready ?? 0) + (delayed ?? 0),
    0,
  );
  const isNamed = findings.some(({ kind }) => kind === 'queue');
  const waits =
    waiting === 0 || isNamed
      ? []
      : [part(waiting === 1 ? 'One job waits' : `${waiting} jobs wait`)];
  if (findings.length === 0) return [...waits, part('Everything is fine')].map(lowerAfterFirst);
  const shown = findings
    .slice(0, MAX_PARTS)
    .map(({ message, until }) => ({ text: message, until }));
  const more = findings.length - shown.length;
  const rest =
    more > 0
      ? part(
          more === 1
            ? 'One more finding is on the overview'
            : `${more} more findings are on the overview`,
        )
      : part('Everything else is fine');
  return [...shown, ...waits, rest].map(lowerAfterFirst);
}

function part(text: string): StatePart {
  return { text, until: null };
}

/** Names keep their case; the first words of fixed sentences become lower case after the first part. */
function lowerAfterFirst(each: StatePart, index: number): StatePart {
  const text =
    index === 0
      ? each.text.replace(/^[a-z]/, (first) => first.toUpperCase())
      : each.text.replace(/^(The|One|Everything|At) /, (word) => word.toLowerCase());
  return { ...each, text };
}

function partText({ text, until }: StatePart): string {
  return until === null ? text : `${text} until ${new Date(until).toISOString().slice(11, 16)} UTC`;
}

function pageStates(
  facts: Facts,
  findings: readonly Finding[],
): Readonly<Record<PageName, Status>> {
  const of = (page: PageName, isKnown = true): Status =>
    worst([
      ...(isKnown ? [] : (['unknown'] as const)),
      ...findings.filter((each) => each.page === page).map(({ severity }) => severity),
    ]);
  return {
    overview: worst(findings.map(({ severity }) => severity)),
    capacity: of('capacity'),
    jobs: of('jobs', facts.queues !== undefined && facts.deadLetters !== undefined),
    money: of('money', facts.budgets !== undefined),
    cluster: of('cluster'),
    logs: worst([of('logs', facts.alerts !== undefined), ...(facts.alerts ?? []).map(alertState)]),
    try: 'good',
  };
}

function alertState({ severity }: LiveAlert): Status {
  return severity === 'critical' ? 'bad' : 'degraded';
}

function worst(all: readonly Status[]): Status {
  return all.reduce<Status>(
    (one, other) => (ORDER.indexOf(other) > ORDER.indexOf(one) ? other : one),
    'good',
  );
}

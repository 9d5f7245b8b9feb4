// Measures every page's readings on a store with a hundredth of the history and on a store with the whole history, then the
// same calls on both while an operator views the latter. The two gateways alternate; the bare proxy takes no part.

import type { Measurement } from '../bench-row.ts';
import { describeRounds } from '../report/describe-rounds.ts';
import { figureOf, ratioOf } from '../report/statistics.ts';
import { measureSideBySide } from '../side-by-side.ts';
import type { Stage } from '../stage.ts';
import type { Subject } from '../subject.ts';
import { UNARY_LOAD } from '../unary-load.ts';
import type { History } from './history-sql.ts';
import { pagesAt, timeOf, viewDashboard } from './operator-pages.ts';

const LARGE: History = { usageRecords: 10_000_000, jobs: 1_000_000 };
const SHORTENED = 100;
/** The small store has a hundredth of the large one. */
const SMALLER = 100;
const READINGS = 15;
/** Shorter readings count as this long, because their ratio would only show the noise of the machine. */
const UNNOTICED_MS = 5;

export const PAGE_GOALS = [
  { key: 'pages', what: 'time of the page that grows most, against 1/100', atMost: 3, unit: '×' },
  { key: 'traffic', what: 'CPU per request while an operator looks', atMost: 1.3, unit: '×' },
] as const;

/** Starts a gateway on a store that it fills with the history. */
export type StartFilled = (upstreamPort: number, history: History) => Promise<Subject>;

export async function measurePages(stage: Stage, startFilled: StartFilled): Promise<Measurement> {
  const { port, program: upstream } = await stage.startUpstream(0);
  const large = stage.isShort ? part(LARGE, SHORTENED) : LARGE;
  const small = part(large, SMALLER);
  const few = { subject: await startFilled(port, small), history: small };
  const many = { subject: await startFilled(port, large), history: large };
  const times = await readPages(stage, few, many);
  const growth = times
    .map(({ few: base, many: subject }) => ratioOf(noticed(subject), noticed(base)))
    .toSorted((a, b) => b.median - a.median)[0];
  const leave = viewDashboard(many.subject, large, stage.signal);
  const contest = { upstream, bare: few.subject, subject: many.subject };
  const [unseen, seen] = await measureSideBySide(stage, contest, UNARY_LOAD).finally(leave);
  const cpu = (rounds: typeof seen) => rounds.map((round) => round.cpuMicrosPerRequest);
  return {
    figures: {
      pages: growth ?? figureOf([Number.NaN]),
      traffic: ratioOf(cpu(seen), cpu(unseen)),
    },
    side: [
      ...times.flatMap(({ name, few: base, many: subject }) => [
        { what: `${name}, 1/100 of the history`, unit: 'ms', figure: figureOf(base) },
        { what: name, unit: 'ms', figure: figureOf(subject) },
      ]),
      ...describeRounds('no operator', unseen),
      ...describeRounds('an operator looks', seen),
    ],
  };
}

function part({ usageRecords, jobs }: History, divisor: number): History {
  return {
    usageRecords: Math.round(usageRecords / divisor),
    jobs: Math.round(jobs / divisor),
  };
}

function noticed(times: readonly number[]): readonly number[] {
  return times.map((time) => Math.max(UNNOTICED_MS, time));
}

type Filled = { readonly subject: Subject; readonly history: History };
type PageTimes = { readonly name: string; readonly few: number[]; readonly many: number[] };

/** The first readings are uncached; their times are the first rounds of the figures. */
async function readPages(stage: Stage, few: Filled, many: Filled): Promise<readonly PageTimes[]> {
  const times: PageTimes[] = pagesAt(0, many.history).map(({ name }) => ({
    name,
    few: [],
    many: [],
  }));
  for (let turn = 0; turn < READINGS; turn += 1) {
    stage.progress(`reading every page, ${turn + 1} of ${READINGS}`);
    const pages = [pagesAt(turn, few.history), pagesAt(turn, many.history)] as const;
    for (const [index, time] of times.entries()) {
      const [fewPage, manyPage] = [pages[0][index], pages[1][index]];
      if (fewPage) time.few.push(await timeOf(few.subject, fewPage, stage.signal));
      if (manyPage) time.many.push(await timeOf(many.subject, manyPage, stage.signal));
    }
  }
  return times;
}

// The effect of the dispatcher's limit check: the same messages against a provider limit of half their number, first
// with the worker's permit as the only check, then with the dispatcher's check before it. The row counts events and
// does not measure time: in both modes no message fails or is lost and no window exceeds the limit; with two tiers the
// worker requeues far fewer messages. The window has the length of a round instead of a minute, which only shortens the
// run.

import { limitViolations } from '../../chaos/judge/limit-violations.ts';
import { busiestSpan, usedParts } from '../../chaos/judge/pace.ts';
import type { BenchRow, SideFigure } from '../bench-row.ts';
import { type LimitedLoad, type LimitedRun, runLimited } from '../limited-run.ts';
import { startEngines } from '../processes/start-engines.ts';
import { type Figure, figureOf, ratioOf } from '../report/statistics.ts';
import type { Stage } from '../stage.ts';

/** A thousand messages in the rounds of four seconds that the full form has. */
const MESSAGES_PER_SECOND_OF_ROUND = 250;

export const row: BenchRow = {
  name: 'two-tiers',
  title: 'a limit of half the messages: the worker alone against two tiers',
  order: 9,
  canCalibrate: false,
  goals: [
    { key: 'failed', what: 'failed, both ways', atMost: 0, unit: 'messages' },
    { key: 'lost', what: 'lost, both ways', atMost: 0, unit: 'messages' },
    { key: 'above', what: 'above the limit in any window, both modes', atMost: 0, unit: 'calls' },
    {
      key: 'requeues',
      what: 'requeues with two tiers, against the worker alone',
      atMost: 0.2,
      unit: '×',
    },
  ],
  async run(stage) {
    const load = loadFor(stage);
    const { alone, together } = await runBothWays(stage, load);
    const all = [...alone, ...together];
    return {
      figures: {
        failed: totalOf(all, ({ failed, deadLetters }) => Math.max(failed, deadLetters)),
        lost: totalOf(all, ({ lost }) => lost),
        above: totalOf(all, ({ callsAt }) => callsAbove(callsAt, load)),
        requeues: ratioOf(
          together.map(({ requeued }) => requeued),
          alone.map(({ requeued }) => requeued),
        ),
      },
      side: [...describe('worker alone', alone, load), ...describe('two tiers', together, load)],
    };
  },
};

function loadFor({ pace }: Stage): LimitedLoad {
  const perWindow = Math.ceil((pace.seconds * MESSAGES_PER_SECOND_OF_ROUND) / 2);
  return { messages: 2 * perWindow, perWindow, windowMs: Math.round(pace.seconds * 1000) };
}

type BothWays = { readonly alone: LimitedRun[]; readonly together: LimitedRun[] };

/** A run takes two windows, and counts are steadier than times: half of the usual rounds, none to warm up. */
async function runBothWays(stage: Stage, load: LimitedLoad): Promise<BothWays> {
  const rounds = Math.max(1, Math.floor(stage.pace.rounds / 2));
  const services = await startEngines(stage);
  const upstream = await stage.startUpstream(0);
  const ways: BothWays = { alone: [], together: [] };
  for (let round = 1; round <= rounds; round += 1)
    for (const way of ['alone', 'together'] as const) {
      const name = `bench-${way}-${round}-of-${rounds}`;
      const hasTwoTiers = way === 'together';
      ways[way].push(await runLimited(stage, { name, load, services, upstream, hasTwoTiers }));
    }
  return ways;
}

/** Summed over all runs: a median would hide a single failed run. */
function totalOf(runs: readonly LimitedRun[], of: (run: LimitedRun) => number): Figure {
  return figureOf([runs.reduce((sum, run) => sum + of(run), 0)]);
}

function callsAbove(callsAt: readonly number[], { perWindow, windowMs }: LimitedLoad): number {
  return limitViolations(callsAt, perWindow, windowMs);
}

function describe(way: string, runs: readonly LimitedRun[], load: LimitedLoad): SideFigure[] {
  const { messages, perWindow, windowMs } = load;
  const figure = (what: string, unit: string, of: (run: LimitedRun) => number): SideFigure => ({
    what: `${way}: ${what}`,
    unit,
    figure: figureOf(runs.map(of)),
  });
  const each = (what: string, of: (run: LimitedRun) => number) =>
    figure(what, 'per message', (run) => of(run) / messages);
  return [
    each('requeued by the worker', ({ requeued }) => requeued),
    each('delayed by the dispatcher', ({ putOff }) => putOff),
    each('deliveries', ({ deliveries }) => deliveries),
    each('Redis commands, including commands in scripts', ({ redis }) => redis.commands),
    each('Redis scripts', ({ redis }) => redis.scripts),
    figure(`calls for ${messages} messages`, '', ({ callsAt }) => callsAt.length),
    figure(`most calls in ${windowMs / 1000} s, of ${perWindow}`, '', ({ callsAt }) =>
      busiestSpan(callsAt, windowMs, { perWindow: 0 }),
    ),
    figure('of the limit used while jobs waited', '×', ({ callsAt }) => meanUse(callsAt, load)),
    figure('failed', 'messages', ({ failed }) => failed),
    figure('dead letters', 'messages', ({ deadLetters }) => deadLetters),
    figure('lost', 'messages', ({ lost }) => lost),
    figure('told twice', 'messages', ({ repeated }) => repeated),
    figure('first in to last out', 's', ({ tookMs }) => tookMs / 1000),
  ];
}

function meanUse(callsAt: readonly number[], load: LimitedLoad): number {
  const parts = usedParts(callsAt, load);
  return parts.reduce((sum, part) => sum + part, 0) / Math.max(1, parts.length);
}

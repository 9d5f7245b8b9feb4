// Shared by the rows that replay a trace: twenty times the speed, a limit with a window of a twentieth, three goals and
// side figures. The provider judges, because it enforces the limit and keeps the truth log. The replay runs on all
// engines, where counts are shared and messages travel and exact pacing is hardest.

import type { Goal, Measurement, SideFigure } from '../bench-row.ts';
import { startEngines } from '../processes/start-engines.ts';
import { figureOf } from '../report/statistics.ts';
import type { Stage } from '../stage.ts';
import { makeTrace } from './make-trace.ts';
import { lengthOf, maxOverlap, periodsOf, quantileOf, usedDuring } from './queue-use.ts';
import { readTrace } from './read-trace.ts';
import { busiestPart, durationMs, peakMinute, perMinute } from './request-trace.ts';
import { type ReplayFinding, type ReplayPlan, replayTrace } from './trace-replay.ts';

const SPEED = 20;
const WINDOW_MS = 60_000 / SPEED;
/** The limit as a multiple of the mean rate: on average there is spare capacity, and every burst makes a queue. */
const LIMIT_OF_MEAN = 1.5;
/** The default guard is for windows of a minute; of this window it would be a twelfth, more than may stay unused. */
const LIMIT_GUARD_MS = 100;
/** A second at the trace's original speed, about the duration of a short completion. */
const LATENCY_MS = 1_000 / SPEED;
/** A shorter wait is the pipeline's latency, not a queue for the limit. */
const PASSAGE_MS = 250;
/** Replayed in eighteen seconds, and a few more to drain the queue. */
const BUSIEST_PART_MS = 6 * 60_000;
const SEED = 20_231_116;

export const TRACE_GOALS: readonly Goal[] = [
  { key: 'refused', what: 'refused by the provider', atMost: 0, unit: 'calls' },
  { key: 'lost', what: 'lost', atMost: 0, unit: 'messages' },
  { key: 'used', what: 'of the limit used while a queue existed', atLeast: 0.95, unit: '×' },
];

export type TraceWishes = Pick<ReplayPlan, 'comesBy'> & {
  /** Whether to replay only the busiest minutes, against the limit for the whole trace. */
  readonly isPart: boolean;
};

export async function measureTrace(stage: Stage, wishes: TraceWishes): Promise<Measurement> {
  const { trace: whole, source } = await loadTrace(stage);
  const services = await startEngines(stage);
  const plan: ReplayPlan = {
    trace: wishes.isPart ? busiestPart(whole, BUSIEST_PART_MS) : whole,
    comesBy: wishes.comesBy,
    speed: SPEED,
    perWindow: Math.round(LIMIT_OF_MEAN * perMinute(whole)),
    windowMs: WINDOW_MS,
    limitGuardMs: LIMIT_GUARD_MS,
    latencyMs: LATENCY_MS,
    services,
  };
  const finding = await replayTrace(stage, plan);
  return toMeasurement(plan, source, finding);
}

async function loadTrace({ traceFile }: Stage) {
  if (traceFile === undefined) return { trace: makeTrace(SEED), source: 'a generated trace' };
  return { trace: await readTrace(traceFile), source: 'the trace of the file' };
}

function toMeasurement(plan: ReplayPlan, source: string, finding: ReplayFinding): Measurement {
  const { trace } = plan;
  const { waits, calls, acknowledgedInMs, succeeded } = finding;
  const beyondPassage = waits.map(({ from, to }) => ({ from: from + PASSAGE_MS, to }));
  const queued = periodsOf(beyondPassage, PASSAGE_MS);
  const callsAt = calls.map(({ startedAt }) => startedAt);
  const parts = usedDuring(queued, callsAt, plan);
  const waitedMs = waits.map(({ from, to }) => to - from);
  return {
    figures: {
      refused: figureOf([calls.filter(({ status }) => status === 429).length]),
      lost: figureOf([trace.length - succeeded]),
      used: figureOf([parts.reduce((sum, part) => sum + part, 0) / parts.length]),
    },
    side: [
      ...describePlan(source, plan),
      side('whole windows with a queue', '', parts.length),
      side('time with a queue', 's', lengthOf(queued) / 1_000),
      side('longest queue', 'requests', maxOverlap(waits)),
      ...describeTimes('waited', waitedMs),
      ...describeTimes('accepted after', acknowledgedInMs),
      side('calls at the provider', '', calls.length),
    ],
  };
}

function describePlan(source: string, { trace, speed, perWindow, windowMs }: ReplayPlan) {
  return [
    side(`${source}: requests`, '', trace.length),
    side(`${source}: in its busiest minute`, '', peakMinute(trace)),
    side(`${source}: its length at ${speed} × the speed`, 's', durationMs(trace) / speed / 1_000),
    side(`the provider's limit in ${windowMs / 1_000} s`, 'calls', perWindow),
  ];
}

function describeTimes(what: string, timesMs: readonly number[]): SideFigure[] {
  const time = (which: string, part: number) =>
    side(`${what}, ${which}`, 's', quantileOf(timesMs, part) / 1_000);
  return [
    time('median', 0.5),
    time('95th percentile', 0.95),
    time('99th percentile', 0.99),
    time('longest', 1),
  ];
}

function side(what: string, unit: string, value: number): SideFigure {
  return { what, unit, figure: figureOf([value]) };
}

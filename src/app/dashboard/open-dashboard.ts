// Opens the dashboard's read API: shared readings over the store, the cluster and the queues, their routes and the live
// stream. While no operator views the dashboard no reading runs, except the hourly sums of spending.

import type { Config } from '../../config/config.ts';
import type { JobsPage } from '../../dashboard/api/jobs.ts';
import type { LiveState } from '../../dashboard/api/live.ts';
import type { Overview } from '../../dashboard/api/overview.ts';
import type { Facts } from '../../dashboard/readings/facts.ts';
import { jobFlow } from '../../dashboard/readings/job-flow.ts';
import { toLiveState } from '../../dashboard/readings/live-state.ts';
import { overallState } from '../../dashboard/readings/overall-state.ts';
import {
  type RankedSpenders,
  readSpend,
  readSpenders,
} from '../../dashboard/readings/read-money.ts';
import {
  createSharedReadings,
  type SharedReadings,
} from '../../dashboard/readings/shared-readings.ts';
import { toTimeSeries, toTotals } from '../../dashboard/readings/to-time-series.ts';
import { writeFindings } from '../../dashboard/readings/write-findings.ts';
import { jobsRoutes } from '../../dashboard/routes/jobs-routes.ts';
import { overviewRoutes } from '../../dashboard/routes/overview-routes.ts';
import { tryRoutes } from '../../dashboard/routes/try-routes.ts';
import type { ServeCallParts } from '../../flow/serve/serve-call.ts';
import type { Gate } from '../../http/authenticate.ts';
import type { RegisterRoutes } from '../../http/http-server.ts';
import { createLiveBroadcast } from '../../http/live/live-broadcast.ts';
import type { RecentLog } from '../../http/routes/admin-logs.ts';
import type { SimulatorControl } from '../../http/routes/simulator.ts';
import { cacheReading } from '../../kernel/cached-reading.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Log } from '../../kernel/log.ts';
import { VERSION } from '../../kernel/version.ts';
import { startSpendRollUp } from '../../metering/spend/roll-up-spend.ts';
import type { ServableModels } from '../../routing/servable-models.ts';
import { addSamples, type Sample } from '../../series/sample.ts';
import type { Sampler } from '../../series/sampler.ts';
import { seriesRange } from '../../series/series-range.ts';
import {
  RESOLUTIONS_MS,
  type SeriesInterval,
  type SeriesRange,
} from '../../series/series-store.ts';
import type { RequestRecords } from '../../upstream/request-records.ts';
import { openMoney } from './open-money.ts';
import { openTry } from './open-try.ts';
import { type FactSources, readFacts } from './read-facts.ts';
import { tryOptions } from './try-options.ts';

export type DashboardContext = Omit<FactSources, 'spenders' | 'serve'> & {
  readonly serverId: string;
  readonly sampler: Sampler;
  readonly recentLog: RecentLog;
  readonly serve: ServeCallParts;
  readonly records: Pick<RequestRecords, 'find'>;
  readonly models: ServableModels;
  /** Present while the simulator stands in for the providers. */
  readonly simulator: SimulatorControl | undefined;
  readonly gate: Gate;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
};

export type Dashboard = {
  readonly routes: readonly RegisterRoutes[];
  /** Ends the live streams; idempotent. */
  endLive(): Promise<void>;
};

/** The state is read at most once a second for any number of operators. */
const STATE_AGE_MS = 900;
const SERIES_AGE_MS = 2000;
const SPEND_AGE_MS = 10_000;
/** The span of the rates in the flow of jobs. */
const FLOW_SPAN_MS = 300_000;
const MAX_RUNNING = 10_000;

export type DashboardReadings = {
  readonly facts: () => Promise<Facts>;
  readonly spenders: () => Promise<RankedSpenders>;
  readonly series: (range: SeriesRange) => Promise<readonly SeriesInterval[]>;
  /** The number of running jobs. */
  readonly running: () => Promise<number>;
};

export function openDashboard(config: Config, context: DashboardContext): Dashboard {
  const { store, clock, gate, log, lifecycle } = context;
  const rollUp = startSpendRollUp({ store: store.readings.spend, clock, log });
  lifecycle.onClose('spending sums', () => rollUp.close());
  const readings = openReadings(config, context);
  const readState = () => readLive(config, context, readings);
  const live = createLiveBroadcast({ read: readState, clock });
  const spend = createSharedReadings<Overview['spend']>(clock, SPEND_AGE_MS);

  async function readOverview(from: number, to: number): Promise<Overview> {
    const now = clock.now();
    const range = seriesRange(from, to, now);
    const [facts, intervals, spent] = await Promise.all([
      readings.facts(),
      readings.series(range),
      spend('', () => readSpend(store.readings.spend, now)),
    ]);
    const findings = writeFindings(facts);
    return {
      state: overallState(facts, findings),
      findings,
      series: toTimeSeries(range, intervals, now),
      totals: toTotals(intervals),
      spend: spent,
      readAt: now,
    };
  }

  async function readJobs(from: number, to: number): Promise<JobsPage> {
    const now = clock.now();
    const range = seriesRange(from, to, now);
    const recent = seriesRange(now - FLOW_SPAN_MS, now, now);
    const [facts, intervals, flowing, running] = await Promise.all([
      readings.facts(),
      readings.series(range),
      readings.series(recent),
      readings.running(),
    ]);
    const { queues = [], deadLetters = 0 } = facts;
    const spanMs = now - recent.from;
    return {
      flow: jobFlow({ queues, deadLetters, running, recent: flowing, spanMs }),
      queues,
      series: toTimeSeries(range, intervals, now),
      readAt: now,
    };
  }

  const { organizations } = store;
  const { serve, records, simulator } = context;
  const { spend: spending } = store.readings;
  return {
    routes: [
      overviewRoutes({ readOverview, readLive: readState, live, gate, clock }),
      jobsRoutes({ readJobs, gate, clock }),
      openMoney({
        spend: spending,
        spenders: readings.spenders,
        organizations,
        ledger: serve.ledger,
        gate,
        clock,
      }),
      tryRoutes({
        readOptions: () => tryOptions(config, context.models, simulator),
        send: openTry({ serve, records, organizations, simulator }),
        gate,
      }),
    ],
    endLive: () => live.close(),
  };
}

function openReadings(config: Config, context: DashboardContext): DashboardReadings {
  const { store, clock } = context;
  const ranked = createSharedReadings<RankedSpenders>(clock, SPEND_AGE_MS);
  const spenders = () => ranked('', () => readSpenders(store.readings.spend, clock));
  const stored: SharedReadings<readonly SeriesInterval[]> = createSharedReadings(
    clock,
    SERIES_AGE_MS,
  );
  return {
    spenders,
    running: cacheReading(clock, STATE_AGE_MS, () => store.readings.jobs.running(MAX_RUNNING)),
    facts: cacheReading(clock, STATE_AGE_MS, () => readFacts(config, { ...context, spenders })),
    series: (range) => {
      const { resolutionMs, stepMs, from, to } = range;
      return stored([resolutionMs, stepMs, from, to].join(' '), () => store.series.read(range));
    },
  };
}

async function readLive(
  config: Config,
  context: DashboardContext,
  readings: DashboardReadings,
): Promise<string> {
  const facts = await readings.facts();
  const state: LiveState = toLiveState({
    facts,
    cluster: {
      name: config.cluster.region,
      serverId: context.serverId,
      version: VERSION,
      hasSimulator: context.simulator !== undefined,
    },
    minute: await readMinute(context, readings),
    revisions: { ...countRevisions(context), logs: await latestLog(context.recentLog) },
  });
  return JSON.stringify(state);
}

/** The stored sum of all servers, and this server's growth since its last sample; without a store, only this server's growth. */
async function readMinute({ sampler }: DashboardContext, { series }: DashboardReadings) {
  const own = sampler.presentMinute();
  const [stepMs] = RESOLUTIONS_MS;
  const range = { resolutionMs: stepMs, stepMs, from: own.at, to: own.at + stepMs };
  try {
    const [stored] = await series(range);
    const sample: Sample = stored
      ? addSamples(stored.sample, sampler.sinceLastSample())
      : own.sample;
    return { at: own.at, sample };
  } catch {
    return own;
  }
}

function countRevisions({ sampler }: DashboardContext): { requests: number; jobs: number } {
  const { requests, jobsIn, jobsOut, jobsFailed, jobsDelayed } = sampler.totals();
  return { requests, jobs: jobsIn + jobsOut + jobsFailed + jobsDelayed };
}

async function latestLog(log: RecentLog): Promise<number | null> {
  try {
    const entries = await log.recent({ limit: 1 });
    return entries === undefined ? null : (entries[0]?.at ?? 0);
  } catch {
    return null;
  }
}

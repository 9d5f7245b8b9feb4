// Measures two servers with the same load generator against the same upstream. The two alternate in short slices of a
// round, so that other activity on the machine affects both. Warm-up rounds come first, because just-in-time
// compilation is not measured. One failed request voids the measurement.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Contest } from './contest.ts';
import { servedByUpstream } from './contest.ts';
import type { ChildProgram } from './processes/child-program.ts';
import { cpuNanos } from './processes/cpu-time.ts';
import { LoadReport } from './programs/load-order.ts';
import { requestBytes } from './request-bytes.ts';
import type { Stage } from './stage.ts';
import type { Subject } from './subject.ts';

export type Load = {
  readonly connections: number;
  readonly isStream: boolean;
  readonly expectedBytes: number;
  /** Spreads the first requests of a slice over this time, so that streams do not run in step. */
  readonly spreadMs: number;
  readonly sliceSeconds: number;
};

export type Round = LoadReport & { readonly cpuMicrosPerRequest: number };

export type Pair<T> = readonly [bare: T, subject: T];

/** Work after the answer (a journal write, a log line) is part of a request's cost, so the reading waits for it. */
const SETTLE_MS = 60;
const SLICE_GRACE_MS = 30_000;

export async function measureSideBySide(
  stage: Stage,
  contest: Contest,
  load: Load,
): Promise<Pair<Round[]>> {
  const callers = stage.startProgram('programs/load-generator.ts');
  const { warmUpRounds, rounds } = stage.pace;
  const measured: Pair<Round[]> = [[], []];
  for (let turn = 0; turn < warmUpRounds + rounds; turn += 1) {
    const isWarmUp = turn < warmUpRounds;
    stage.progress(isWarmUp ? 'warming up' : `round ${turn - warmUpRounds + 1} of ${rounds}`);
    const [bare, subject] = await measureRound(stage, callers, contest, load);
    if (isWarmUp) continue;
    measured[0].push(bare);
    measured[1].push(subject);
  }
  return measured;
}

async function measureRound(
  stage: Stage,
  callers: ChildProgram,
  contest: Contest,
  load: Load,
): Promise<Pair<Round>> {
  const { bare, subject } = contest;
  const servedBefore = await servedByUpstream(contest);
  const slices = Math.max(1, Math.round(stage.pace.seconds / load.sliceSeconds));
  const nanos = new Map<Subject, number>();
  for (let slice = 0; slice < slices; slice += 1) {
    // The two servers take turns in going first, so that the order gives neither an advantage.
    for (const server of slice % 2 === 0 ? [bare, subject] : [subject, bare]) {
      const used = await runSlice(stage, callers, server, load);
      nanos.set(server, (nanos.get(server) ?? 0) + used);
    }
  }
  const round = [
    await endRound(callers, bare, nanos.get(bare) ?? Number.NaN),
    await endRound(callers, subject, nanos.get(subject) ?? Number.NaN),
  ] as const;
  // An answer without an upstream request came from a cache, which would void the comparison.
  if ((await servedByUpstream(contest)) - servedBefore < round[0].completed + round[1].completed)
    throw new Error('Some requests were answered without an upstream request');
  return round;
}

async function runSlice(
  stage: Stage,
  callers: ChildProgram,
  subject: Subject,
  load: Load,
): Promise<number> {
  const { port, keys } = subject;
  const { sliceSeconds: seconds, spreadMs, connections: count } = load;
  const { request, expectedBytes } = subject.call ?? {
    request: requestBytes(subject, load.isStream),
    expectedBytes: load.expectedBytes,
  };
  // Outside the CPU reading, because it also opens the connections behind the server.
  await callers.ask('open', { port, count, request, keys, expectedBytes, sendOneUntil: 'end' });
  await sleep(SETTLE_MS, undefined, { signal: stage.signal });
  const before = await cpuNanos(subject.pid);
  await callers.ask('run', { port, seconds, spreadMs }, seconds * 1_000 + SLICE_GRACE_MS);
  await sleep(SETTLE_MS, undefined, { signal: stage.signal });
  return (await cpuNanos(subject.pid)) - before;
}

async function endRound(callers: ChildProgram, subject: Subject, nanos: number): Promise<Round> {
  const report = await takeReport(callers, subject);
  return { ...report, cpuMicrosPerRequest: nanos / 1_000 / report.completed };
}

async function takeReport(callers: ChildProgram, subject: Subject): Promise<LoadReport> {
  const report = LoadReport.parse(await callers.ask('report', { port: subject.port }));
  if (report.failed === 0 && report.completed > 0) return report;
  throw new Error(
    `${report.failed} requests to the ${subject.name} failed: ${report.firstFailure}`,
  );
}

// Resident memory at rest and per open stream. The streams are slow (five events a second), like a reasoning model;
// their cost is the increase over rest divided by their number, so that code loaded for the first stream is included.

import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchRow } from '../bench-row.ts';
import { startContest } from '../contest.ts';
import { residentBytes } from '../processes/resident-memory.ts';
import { STREAM_BODY_BYTES } from '../programs/fixed-answers.ts';
import { LoadReport } from '../programs/load-order.ts';
import { figureOf } from '../report/statistics.ts';
import { requestBytes } from '../request-bytes.ts';
import type { Stage } from '../stage.ts';
import type { Subject } from '../subject.ts';

const STREAMS = 1_000;
const EVENT_INTERVAL_MS = 200;
const REST_MS = 5_000;
const KIB = 1_024;
const MIB = 1_048_576;

export const row: BenchRow = {
  name: 'memory',
  title: `at rest, and with ${STREAMS} open streams`,
  order: 4,
  canCalibrate: true,
  goals: [
    { key: 'idle', what: 'resident at rest', atMost: 130, unit: 'MiB' },
    { key: 'stream', what: 'each open stream', atMost: 100, unit: 'KiB' },
  ],
  async run(stage) {
    const { bare, subject } = await startContest(stage, EVENT_INTERVAL_MS);
    stage.progress('at rest');
    await sleep(REST_MS, undefined, { signal: stage.signal });
    const base = await measureStreams(stage, bare);
    const measured = await measureStreams(stage, subject);
    return {
      figures: {
        idle: figureOf([measured.idleBytes / MIB]),
        stream: figureOf([measured.perStreamBytes / KIB]),
      },
      side: [
        { what: 'bare proxy: at rest', unit: 'MiB', figure: figureOf([base.idleBytes / MIB]) },
        {
          what: 'bare proxy: each open stream',
          unit: 'KiB',
          figure: figureOf([base.perStreamBytes / KIB]),
        },
      ],
    };
  },
};

async function measureStreams(stage: Stage, subject: Subject) {
  const idleBytes = await residentBytes(subject.pid);
  const callers = stage.startProgram('programs/load-generator.ts');
  stage.progress(`${STREAMS} open streams, ${subject.name}`);
  await callers.ask('open', {
    port: subject.port,
    count: STREAMS,
    request: requestBytes(subject, true),
    expectedBytes: STREAM_BODY_BYTES,
    sendOneUntil: 'first-byte',
  });
  const report = LoadReport.parse(await callers.ask('report', { port: subject.port }));
  if (report.failed > 0)
    throw new Error(
      `${report.failed} streams of the ${subject.name} failed: ${report.firstFailure}`,
    );
  await sleep(REST_MS, undefined, { signal: stage.signal });
  const openBytes = await residentBytes(subject.pid);
  await callers.stop();
  return { idleBytes, perStreamBytes: (openBytes - idleBytes) / STREAMS };
}

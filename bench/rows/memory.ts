// Resident memory at rest and per open stream. The streams are slow (five events a second), like a reasoning model;
// their cost is the increase over rest divided by their number, so that code loaded for the first stream is included.

import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchRow } from '../bench-row.ts';
import { startContest } from '../contest.ts';
import { measureStreams } from '../measure-streams.ts';
import { figureOf } from '../report/statistics.ts';

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
    const base = await measureStreams(stage, bare, STREAMS);
    const measured = await measureStreams(stage, subject, STREAMS);
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

// A streamed call: 100 events, 5 ms apart, over 64 connections out of phase, like real callers. Cost is counted per
// event; the delay is the time to the first content.

import type { BenchRow } from '../bench-row.ts';
import { startContest } from '../contest.ts';
import { STREAM_BODY_BYTES, STREAM_EVENTS } from '../programs/fixed-answers.ts';
import { describeRounds } from '../report/describe-rounds.ts';
import { ratioOf } from '../report/statistics.ts';
import { measureSideBySide } from '../side-by-side.ts';

const INTERVAL_MS = 5;

export const row: BenchRow = {
  name: 'streaming',
  title: '100 events, 5 ms apart, 64 connections',
  order: 3,
  canCalibrate: true,
  goals: [
    { key: 'cpu', what: 'CPU per event, against the bare proxy', atMost: 1.4, unit: '×' },
    {
      key: 'firstEvent',
      what: 'time to first content, against the bare proxy',
      atMost: 1.5,
      unit: '×',
    },
  ],
  async run(stage) {
    const contest = await startContest(stage, INTERVAL_MS);
    const [base, measured] = await measureSideBySide(stage, contest, {
      connections: 64,
      isStream: true,
      expectedBytes: STREAM_BODY_BYTES,
      spreadMs: INTERVAL_MS * STREAM_EVENTS,
      sliceSeconds: 1,
    });
    const cpu = (rounds: typeof base) => rounds.map((round) => round.cpuMicrosPerRequest);
    const firstEvent = (rounds: typeof base) => rounds.map((round) => round.firstByteP50Ms);
    return {
      figures: {
        cpu: ratioOf(cpu(measured), cpu(base)),
        firstEvent: ratioOf(firstEvent(measured), firstEvent(base)),
      },
      side: [
        ...describeRounds(contest.bare.name, base, STREAM_EVENTS),
        ...describeRounds(contest.subject.name, measured, STREAM_EVENTS),
      ],
    };
  },
};

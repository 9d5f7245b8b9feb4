// A call that is passed through unchanged, answered in one piece: 1 KiB each way over 64 connections, with
// everything on that a gateway does for a call (key, limits, budget, usage, metrics, a log line).

import type { BenchRow } from '../bench-row.ts';
import { startContest } from '../contest.ts';
import { describeRounds } from '../describe-rounds.ts';
import { UNARY_BODY } from '../programs/fixed-answers.ts';
import { measureSideBySide } from '../side-by-side.ts';
import { ratioOf } from '../statistics.ts';

export const row: BenchRow = {
  name: 'unary',
  title: 'native pass-through, 1 KiB each way, 64 connections',
  order: 1,
  canCalibrate: true,
  goals: [{ key: 'cpu', what: 'CPU per request, against the bare proxy', atMost: 1.6, unit: '×' }],
  async run(stage) {
    const contest = await startContest(stage, 0);
    const [base, measured] = await measureSideBySide(stage, contest, {
      connections: 64,
      isStream: false,
      expectedBytes: UNARY_BODY.length,
      spreadMs: 0,
      sliceSeconds: 0.5,
    });
    const cpu = (rounds: typeof base) => rounds.map((round) => round.cpuMicrosPerRequest);
    return {
      figures: { cpu: ratioOf(cpu(measured), cpu(base)) },
      side: [
        ...describeRounds(contest.bare.name, base),
        ...describeRounds(contest.subject.name, measured),
      ],
    };
  },
};

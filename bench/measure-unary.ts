// The gateway against the bare proxy with unary calls, on the given storage.

import type { Measurement } from './bench-row.ts';
import { startContest } from './contest.ts';
import { UNARY_BODY } from './programs/fixed-answers.ts';
import { describeRounds } from './report/describe-rounds.ts';
import { ratioOf } from './report/statistics.ts';
import { measureSideBySide } from './side-by-side.ts';
import type { Stage } from './stage.ts';

export async function measureUnary(
  stage: Stage,
  env: Readonly<Record<string, string>> = {},
): Promise<Measurement> {
  const contest = await startContest(stage, 0, env);
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
}

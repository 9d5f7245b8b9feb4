// The gateway against the bare proxy with unary calls, on the given storage.

import type { Measurement } from './bench-row.ts';
import { startContest } from './contest.ts';
import { describeRounds } from './report/describe-rounds.ts';
import { ratioOf } from './report/statistics.ts';
import { measureSideBySide } from './side-by-side.ts';
import type { Stage } from './stage.ts';
import { UNARY_LOAD } from './unary-load.ts';

export async function measureUnary(
  stage: Stage,
  env: Readonly<Record<string, string>> = {},
): Promise<Measurement> {
  const contest = await startContest(stage, 0, env);
  const [base, measured] = await measureSideBySide(stage, contest, UNARY_LOAD);
  const cpu = (rounds: typeof base) => rounds.map((round) => round.cpuMicrosPerRequest);
  return {
    figures: { cpu: ratioOf(cpu(measured), cpu(base)) },
    side: [
      ...describeRounds(contest.bare.name, base),
      ...describeRounds(contest.subject.name, measured),
    ],
  };
}

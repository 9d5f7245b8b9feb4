// The same call on gateways with ten and with a hundred thousand organisations, first with one active key each,
// then with ten thousand active keys on the large one. The cost of a call must not depend on the number of tenants. The
// two gateways alternate; the bare proxy takes no part.

import type { BenchRow } from '../bench-row.ts';
import type { Contest } from '../contest.ts';
import { type Population, seedOrganizations } from '../processes/seed-organizations.ts';
import { LoadReport } from '../programs/load-order.ts';
import { describeRounds } from '../report/describe-rounds.ts';
import { ratioOf } from '../report/statistics.ts';
import { requestBytes } from '../request-bytes.ts';
import { measureSideBySide, type Round } from '../side-by-side.ts';
import type { Stage } from '../stage.ts';
import type { Subject } from '../subject.ts';
import { UNARY_LOAD } from '../unary-load.ts';

const FEW: Population = { organizations: 10, keys: 1 };
const MANY: Population = { organizations: 100_000, keys: 10_000 };

export const row: BenchRow = {
  name: 'growth',
  title: '10 against 100,000 organisations, 1 against 10,000 active keys',
  order: 7,
  canCalibrate: false,
  goals: [
    {
      key: 'organizations',
      what: 'CPU per request among 100,000 organisations',
      atMost: 1.2,
      unit: '×',
    },
    { key: 'keys', what: 'the same with 10,000 keys in use', atMost: 1.2, unit: '×' },
  ],
  async run(stage) {
    const { port, program: upstream } = await stage.startUpstream(0);
    const few = await startPopulated(stage, port, FEW);
    const many = await startPopulated(stage, port, MANY);
    const alone: Contest = { upstream, bare: few, subject: withOneKey(many) };
    const [small, large] = await measureSideBySide(stage, alone, UNARY_LOAD);
    await useEveryKey(stage, many);
    const together: Contest = { upstream, bare: few, subject: many };
    const [again, crowded] = await measureSideBySide(stage, together, UNARY_LOAD);
    return {
      figures: {
        organizations: ratioOf(cpuOf(large), cpuOf(small)),
        keys: ratioOf(cpuOf(crowded), cpuOf(again)),
      },
      side: [
        ...describeRounds('10 organisations', small),
        ...describeRounds('100,000 organisations', large),
        ...describeRounds('100,000 organisations, 10,000 keys', crowded),
      ],
    };
  },
};

async function startPopulated(
  stage: Stage,
  upstreamPort: number,
  population: Population,
): Promise<Subject> {
  let keys: readonly string[] = [];
  const gateway = await stage.startSubject(upstreamPort, {}, async (folder) => {
    stage.progress(`storing ${population.organizations} organisations`);
    keys = await seedOrganizations(folder, population);
  });
  const name = `gateway with ${population.organizations} organisations`;
  return { ...gateway, name, keys, headers: { 'x-api-key': keys[0] ?? '' } };
}

function withOneKey(subject: Subject): Subject {
  return { ...subject, keys: subject.keys?.slice(0, 1) ?? [] };
}

/** A key's first call loads it from the store. That cost occurs once and is excluded. */
async function useEveryKey(stage: Stage, subject: Subject): Promise<void> {
  const callers = stage.startProgram('programs/load-generator.ts');
  const { port, keys = [] } = subject;
  const { connections: count, expectedBytes } = UNARY_LOAD;
  const request = requestBytes(subject, false);
  await callers.ask('open', { port, count, request, keys, expectedBytes, sendOneUntil: 'end' });
  for (let used = 0; used < keys.length; ) {
    stage.progress(`${used} of ${keys.length} keys are in use`);
    await callers.ask('run', { port, seconds: 1, spreadMs: 0 });
    const report = LoadReport.parse(await callers.ask('report', { port }));
    if (report.failed > 0) throw new Error(`${report.failed} calls failed: ${report.firstFailure}`);
    used += report.completed;
  }
  await callers.stop();
}

function cpuOf(rounds: readonly Round[]): number[] {
  return rounds.map(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest);
}

// The time until three servers know a limit that the first has learnt: from its announcement until the last server
// refuses. Compared with a bare message on the same Redis, published by one process and received by two.

import { z } from 'zod';
import type { BenchRow } from '../bench-row.ts';
import type { ChildProgram } from '../processes/child-program.ts';
import { startEngines } from '../processes/start-engines.ts';
import { figureOf, ratioOf } from '../report/statistics.ts';
import type { Stage } from '../stage.ts';

const SERVERS = 3;
const SAMPLES_PER_SECOND_OF_ROUND = 25;
/** Each limit ends a little later than the previous one, because servers ignore an earlier end. */
const FIRST_LIMIT_MS = 3_600_000;

const Timestamp = z.number();

export const row: BenchRow = {
  name: 'limit-known',
  title: 'a limit that one server learns, known by three',
  order: 8,
  canCalibrate: false,
  goals: [
    {
      key: 'delay',
      what: 'until all know, against a bare message',
      atMost: 3,
      unit: '×',
    },
  ],
  async run(stage) {
    const servers = await openServers(stage);
    const { warmUpRounds, rounds, seconds } = stage.pace;
    const count = Math.round(seconds * SAMPLES_PER_SECOND_OF_ROUND);
    const measured: { readonly bare: number; readonly limit: number }[] = [];
    let resetAt = Date.now() + FIRST_LIMIT_MS;
    for (let turn = 0; turn < warmUpRounds + rounds; turn += 1) {
      const isWarmUp = turn < warmUpRounds;
      stage.progress(isWarmUp ? 'warming up' : `round ${turn - warmUpRounds + 1} of ${rounds}`);
      const delays: { bare: number[]; limit: number[] } = { bare: [], limit: [] };
      for (let sample = 0; sample < count; sample += 1) {
        resetAt += 1000;
        for (const way of ['bare', 'limit'] as const)
          delays[way].push(await delayOf(servers, way, resetAt));
      }
      const { bare, limit } = delays;
      if (!isWarmUp) measured.push({ bare: figureOf(bare).median, limit: figureOf(limit).median });
    }
    const bare = measured.map((round) => round.bare);
    const limit = measured.map((round) => round.limit);
    return {
      figures: { delay: ratioOf(limit, bare) },
      side: [
        { what: 'bare message, received by all', unit: 'µs', figure: figureOf(bare) },
        { what: 'limit, known by all', unit: 'µs', figure: figureOf(limit) },
      ],
    };
  },
};

async function openServers(stage: Stage): Promise<readonly ChildProgram[]> {
  const services = await startEngines(stage, ['redis']);
  const servers = Array.from({ length: SERVERS }, () =>
    stage.startProgram('programs/limit-node.ts'),
  );
  await Promise.all(servers.map((server) => server.ask('open', { url: services.redisUrl })));
  return servers;
}

/** From one server's announcement until the last of the others knows it. */
async function delayOf(
  [first, ...others]: readonly ChildProgram[],
  way: 'bare' | 'limit',
  resetAt: number,
): Promise<number> {
  if (!first) throw new Error('There is no server');
  const order = { way, resetAt };
  await Promise.all(others.map((server) => server.ask('expect', order)));
  const receivedAt = Promise.all(others.map((server) => server.ask('receivedAt')));
  const from = Timestamp.parse(await first.ask('announce', order));
  const times = z.array(Timestamp).parse(await receivedAt);
  return Math.max(...times) - from;
}

// Mapping provider errors: compared with parsing the same bodies and, for texts of 8 KiB, the slowest hostile text
// with plain prose of the same length. Runs in its own process without a server.

import { z } from 'zod';
import type { BenchRow, SideFigure } from '../bench-row.ts';
import { HOSTILE_TEXTS, ORDINARY } from '../programs/error-samples.ts';
import { figureOf, ratioOf } from '../report/statistics.ts';
import type { Stage } from '../stage.ts';

/** Microseconds by contender, one record per round. */
type Costs = Readonly<Record<string, number>>;

const Costs = z.record(z.string(), z.number());

export const row: BenchRow = {
  name: 'mapper',
  title: `mapping of ${ORDINARY.length} provider errors, and of texts of 8 KiB`,
  order: 5,
  canCalibrate: false,
  goals: [
    { key: 'ordinary', what: 'mapping, against JSON.parse of the bodies', atMost: 5, unit: '×' },
    // No worse than plain text; a tenth is the measuring noise.
    { key: 'hostile', what: 'hostile text, against plain text', atMost: 1.1, unit: '×' },
  ],
  async run(stage) {
    const rounds = await measureRounds(stage);
    const of = (name: string) => rounds.map((costs) => costs[name] ?? Number.NaN);
    const worst = Object.keys(HOSTILE_TEXTS)
      .map((name) => `hostile: ${name}`)
      .reduce((a, b) => (figureOf(of(a)).median >= figureOf(of(b)).median ? a : b));
    const side = (what: string, values: readonly number[], per = 1): SideFigure => ({
      what,
      unit: 'µs',
      figure: figureOf(values.map((value) => value / per)),
    });
    return {
      figures: {
        ordinary: ratioOf(of('map'), of('parse')),
        hostile: ratioOf(of(worst), of('plain')),
      },
      side: [
        side('JSON.parse of one body', of('parse'), ORDINARY.length),
        side('mapping of one body', of('map'), ORDINARY.length),
        side('mapping of 8 KiB, plain', of('plain')),
        side(`mapping of 8 KiB, ${worst}`, of(worst)),
      ],
    };
  },
};

async function measureRounds(stage: Stage): Promise<Costs[]> {
  const program = stage.startProgram('programs/mapper-loop.ts');
  const { warmUpRounds, rounds, seconds } = stage.pace;
  const measured: Costs[] = [];
  for (let turn = 0; turn < warmUpRounds + rounds; turn += 1) {
    const isWarmUp = turn < warmUpRounds;
    stage.progress(isWarmUp ? 'warming up' : `round ${turn - warmUpRounds + 1} of ${rounds}`);
    const limitMs = seconds * 1_000 + 30_000;
    const costs = Costs.parse(await program.ask('round', { seconds }, limitMs));
    if (!isWarmUp) measured.push(costs);
  }
  return measured;
}

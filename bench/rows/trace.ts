// A real hour at twenty times its speed: requests of another system that can wait, as messages on the raw queue when they
// came, in bursts far above the provider's limit and with quiet minutes between them. The provider refuses none, none is
// lost, and as long as there is a queue hardly anything of the limit is left unused. Without a file the row makes a trace
// from a seed and says so.

import type { BenchRow } from '../bench-row.ts';
import { measureTrace, TRACE_GOALS } from '../trace/measure-trace.ts';

export const row: BenchRow = {
  name: 'trace',
  title: "an hour of messages at 20 × its speed against a provider's limit",
  order: 10,
  canCalibrate: false,
  goals: TRACE_GOALS,
  run: (stage) => measureTrace(stage, { comesBy: 'messages', isPart: stage.isShort }),
};

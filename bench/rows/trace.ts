// A real hour at twenty times its speed: requests of a foreign system as messages on the raw queue at their original
// times, in bursts far above the provider's limit with quiet minutes between. The provider refuses no call, no message
// is lost, and the limit stays almost fully used while a queue exists. Without a file the row generates a trace from a
// seed and reports that.

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

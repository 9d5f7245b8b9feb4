// The busiest minutes of the same trace, handed in by callers with `POST /v1/jobs`: they are held on the store in a fair
// order and passed on at the limit's pace, which is another way through the house than that of messages and is held to
// the same goals.

import type { BenchRow } from '../bench-row.ts';
import { measureTrace, TRACE_GOALS } from '../trace/measure-trace.ts';

export const row: BenchRow = {
  name: 'trace-http',
  title: "the trace's busiest minutes, handed in by HTTP",
  order: 11,
  canCalibrate: false,
  goals: TRACE_GOALS,
  run: (stage) => measureTrace(stage, { comesBy: 'http', isPart: true }),
};

// The busiest minutes of the trace, submitted by callers with `POST /v1/jobs`: the store keeps these jobs in a fair
// order and releases them at the limit's rate. Raw messages take a different path; the goals are the same.

import type { BenchRow } from '../bench-row.ts';
import { measureTrace, TRACE_GOALS } from '../trace/measure-trace.ts';

export const row: BenchRow = {
  name: 'trace-http',
  title: "the trace's busiest minutes, submitted over HTTP",
  order: 11,
  canCalibrate: false,
  goals: TRACE_GOALS,
  run: (stage) => measureTrace(stage, { comesBy: 'http', isPart: true }),
};

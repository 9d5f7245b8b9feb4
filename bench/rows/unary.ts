// A call that is passed through unchanged, answered in one piece: 1 KiB each way over 64 connections, with
// everything on that a gateway does for a call (key, limits, budget, usage, metrics, a log line).

import type { BenchRow } from '../bench-row.ts';
import { measureUnary } from '../measure-unary.ts';

export const row: BenchRow = {
  name: 'unary',
  title: 'native pass-through, 1 KiB each way, 64 connections',
  order: 1,
  canCalibrate: true,
  goals: [{ key: 'cpu', what: 'CPU per request, against the bare proxy', atMost: 1.6, unit: '×' }],
  run: (stage) => measureUnary(stage),
};

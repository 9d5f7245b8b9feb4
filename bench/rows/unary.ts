// A unary pass-through call: 1 KiB each way over 64 connections, with every feature on (key, limits, budget, usage,
// metrics, one log line).

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

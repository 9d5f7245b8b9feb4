// Facts about the machine that a reader needs to weigh the numbers. Contains no host name, user or path.

import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

export type Machine = {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGib: number;
  readonly platform: string;
  readonly node: string;
  /** How busy the machine was before the run began; above the number of cores the figures are noise. */
  readonly loadBefore: number;
};

export function describeMachine(): Machine {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGib: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    loadBefore: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  };
}

// Several server processes that take permits of one limit as fast as they can, and the check of their admissions.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Limit } from '../../../src/resilience/rate-limiter.ts';

/** When the permit was requested and when the answer arrived: the admission is in between. */
export type Admitted = readonly [askedAt: number, answeredAt: number];

export type Crowd = {
  /** Stops all processes; resolves to all their permits. */
  stop(): Promise<Admitted[]>;
};

export async function startCrowd(url: string, limit: Limit, servers: number): Promise<Crowd> {
  const program = join(import.meta.dirname, 'limiter-child.ts');
  const children = Array.from({ length: servers }, (_, index) =>
    fork(program, [url, `crowd-${index}`, JSON.stringify(limit)]),
  );
  await Promise.all(children.map((child) => once(child, 'message')));
  return {
    async stop() {
      const results = await Promise.all(children.map(stopOne));
      return results.flat();
    },
  };
}

async function stopOne(child: ChildProcess): Promise<Admitted[]> {
  const told = once(child, 'message');
  const ended = once(child, 'exit');
  child.send('stop');
  const [admitted]: Admitted[][] = await told;
  await ended;
  return admitted ?? [];
}

/** The largest number of permits that were certainly admitted within one span as long as the window. */
export function mostInOneWindow(admitted: readonly Admitted[], windowMs: number): number {
  const byAnswer = admitted.toSorted((one, other) => one[1] - other[1]);
  let most = 0;
  for (const [askedAt] of admitted) {
    const within = byAnswer.filter(
      ([asked, answered]) => asked >= askedAt && answered < askedAt + windowMs,
    );
    most = Math.max(most, within.length);
  }
  return most;
}

// The servers of a comparison: one upstream, the bare proxy, and the measured subject.

import { z } from 'zod';
import type { ChildProgram } from './processes/child-program.ts';
import type { Stage } from './stage.ts';
import type { Subject } from './subject.ts';

export type Contest = {
  readonly upstream: ChildProgram;
  readonly bare: Subject;
  readonly subject: Subject;
};

export async function startContest(
  stage: Stage,
  eventIntervalMs: number,
  env: Readonly<Record<string, string>> = {},
): Promise<Contest> {
  const upstream = await stage.startUpstream(eventIntervalMs);
  const bare = await stage.startBareProxy(upstream.port);
  const subject = await stage.startSubject(upstream.port, env);
  return { upstream: upstream.program, bare, subject };
}

/** The number of requests that the upstream has received since its start. */
export async function servedByUpstream({ upstream }: Contest): Promise<number> {
  return z.number().parse(await upstream.ask('served'));
}

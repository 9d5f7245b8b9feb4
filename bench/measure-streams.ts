// The resident memory of a server at rest and per open stream: the increase over rest divided by the number of streams.

import { setTimeout as sleep } from 'node:timers/promises';
import { residentBytes } from './processes/resident-memory.ts';
import { STREAM_BODY_BYTES } from './programs/fixed-answers.ts';
import { LoadReport } from './programs/load-order.ts';
import { requestBytes } from './request-bytes.ts';
import type { Stage } from './stage.ts';
import type { Subject } from './subject.ts';

const REST_MS = 5_000;

export type StreamMemory = { readonly idleBytes: number; readonly perStreamBytes: number };

export async function measureStreams(
  stage: Stage,
  subject: Subject,
  streams: number,
): Promise<StreamMemory> {
  const idleBytes = await residentBytes(subject.pid);
  const callers = stage.startProgram('programs/load-generator.ts');
  stage.progress(`${streams} open streams, ${subject.name}`);
  await callers.ask('open', {
    port: subject.port,
    count: streams,
    request: subject.call?.request ?? requestBytes(subject, true),
    expectedBytes: subject.call?.expectedBytes ?? STREAM_BODY_BYTES,
    sendOneUntil: 'first-byte',
  });
  const report = LoadReport.parse(await callers.ask('report', { port: subject.port }));
  if (report.failed > 0)
    throw new Error(
      `${report.failed} streams of the ${subject.name} failed: ${report.firstFailure}`,
    );
  await sleep(REST_MS, undefined, { signal: stage.signal });
  const openBytes = await residentBytes(subject.pid);
  await callers.stop();
  return { idleBytes, perStreamBytes: (openBytes - idleBytes) / streams };
}

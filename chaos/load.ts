// The load during a fault: half of the jobs by HTTP, half as messages on the raw queue, at a steady rate slightly above
// the provider's limit. An unacknowledged submission is sent again under the same id, as a careful client does; only a
// 202 or a confirm counts as acknowledged.

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dose } from './faults/dose.ts';
import type { Installation } from './installation/arena.ts';
import { CALLER_KEY, MODEL, OUTPUT_TOKENS } from './installation/installation-settings.ts';

export type ChaosJob = {
  readonly id: string;
  readonly isRaw: boolean;
  /** The fingerprint of the job's calls in the truth log. */
  readonly digest: string;
};

export type Load = {
  readonly jobs: readonly ChaosJob[];
  readonly acknowledged: ReadonlySet<string>;
};

export type LoadOptions = {
  readonly count: number;
  readonly perSecond: number;
  /** Jobs submitted by the raw queue. */
  readonly isRaw?: (index: number) => boolean;
  readonly signal: AbortSignal;
};

const AGAIN_AFTER_MS = 200;
const ANSWER_WITHIN_MS = 10_000;
/** Slightly more than the limit serves, so that jobs always wait. */
const PRESSURE = 1.1;

export function usualPace({ perWindow, windowMs }: Dose): number {
  return (PRESSURE * perWindow * 1_000) / windowMs;
}

export async function sendLoad(installation: Installation, options: LoadOptions): Promise<Load> {
  const { count, perSecond, signal, isRaw = (index) => index % 2 === 1 } = options;
  const acknowledged = new Set<string>();
  const startedAt = performance.now();
  const sending: Promise<void>[] = [];
  const jobs: ChaosJob[] = [];
  for (let index = 0; index < count; index += 1) {
    const waitMs = startedAt + (index * 1_000) / perSecond - performance.now();
    if (waitMs > 1) await sleep(waitMs, undefined, { signal });
    const job = newJob(index, isRaw(index));
    jobs.push(job);
    const sent = job.isRaw
      ? installation.ends.publish(installation.names.raw, messageOf(job.id), signal)
      : submit(installation, messageOf(job.id), index, signal);
    const acknowledgement = sent.then(() => void acknowledged.add(job.id));
    // All promises are awaited below; without this a failure before that would be an unhandled rejection.
    acknowledgement.catch(() => {});
    sending.push(acknowledgement);
  }
  await Promise.all(sending);
  return { jobs, acknowledged };
}

export function newJob(index: number, isRaw: boolean): ChaosJob {
  const id = `chaos-${index}`;
  const body = JSON.stringify({ ...requestOf(id), model: MODEL });
  return { id, isRaw, digest: createHash('sha256').update(body).digest('hex') };
}

export function messageOf(id: string): string {
  return JSON.stringify({ id, model: MODEL, format: 'anthropic', request: requestOf(id) });
}

function requestOf(id: string): object {
  return { max_tokens: OUTPUT_TOKENS, messages: [{ role: 'user', content: `Job ${id}` }] };
}

/** Resolves when a 202 was read. A refusal of the job itself would be a defect of this program. */
export async function submit(
  { crew }: Pick<Installation, 'crew'>,
  body: string,
  turn: number,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = turn; ; attempt += 1) {
    const url = crew.gateways[attempt % crew.gateways.length]?.url;
    const answer = await post(`${url}/v1/jobs`, body, signal);
    if (answer?.status === 202) return;
    if (answer?.status === 400) throw new Error(`A job was refused: ${answer.text.slice(0, 300)}`);
    await sleep(AGAIN_AFTER_MS, undefined, { signal });
  }
}

/** Undefined if no complete answer arrived. */
async function post(
  url: string,
  body: string,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string } | undefined> {
  signal.throwIfAborted();
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'x-api-key': CALLER_KEY, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
    });
    return { status: answer.status, text: await answer.text() };
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

// Forgets old jobs and results now and then, a few at a time, so that nobody else has to wait for it. Several processes
// may do so at once: what one has forgotten the other does not find. A store that is away is asked again next time.

import { type CancelTimer, type Clock, sleep } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { JobRetention } from '../ports/job-retention.ts';

export type ForgetParts = {
  readonly retention: JobRetention;
  readonly jobsMs: number;
  readonly resultsMs: number;
  readonly clock: Clock;
  readonly log: Log;
};

export type Forgetting = { close(): Promise<void> };

const EVERY_MS = 600_000;
const AT_ONCE = 200;
const BETWEEN_MS = 50;

export function startForgetting(parts: ForgetParts): Forgetting {
  const { clock, log } = parts;
  const closing = new AbortController();
  let cancelTimer: CancelTimer = clock.after(EVERY_MS, tick);
  let forgetting = Promise.resolve();

  function tick(): void {
    forgetting = forgetAll(parts, closing.signal).catch((cause: unknown) => {
      if (!closing.signal.aborted) tell(log, cause);
    });
    void forgetting.then(() => {
      if (!closing.signal.aborted) cancelTimer = clock.after(EVERY_MS, tick);
    });
  }

  return {
    async close() {
      closing.abort();
      cancelTimer();
      await forgetting;
    },
  };
}

async function forgetAll(parts: ForgetParts, closing: AbortSignal): Promise<void> {
  const { retention, jobsMs, resultsMs, clock } = parts;
  const now = clock.now();
  await untilNoMore(parts, closing, () => retention.forgetJobs(now - jobsMs, AT_ONCE));
  // Results go with their jobs; only where they are kept for less is there more to do.
  if (resultsMs < jobsMs)
    await untilNoMore(parts, closing, () => retention.forgetResults(now - resultsMs, AT_ONCE));
}

async function untilNoMore(
  { clock }: ForgetParts,
  closing: AbortSignal,
  forget: () => Promise<number>,
): Promise<void> {
  while ((await forget()) === AT_ONCE) await sleep(clock, BETWEEN_MS, closing);
}

function tell(log: Log, cause: unknown): void {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = 'old jobs could not be forgotten';
  log.write({ level: 'warn', type: 'error', message, metadata: { reason } });
}

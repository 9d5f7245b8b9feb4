// Logs the work of a dispatcher: one line for each burst and provider, with the messages routed and delayed and their
// delays. A burst is what arrives within two seconds of its first message. Closing writes the burst in progress.

import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';

export type Dispatched = {
  /** Undefined while no provider can take the job. */
  readonly provider: string | undefined;
  /** 0 for a message that is routed without delay. */
  readonly delayMs: number;
};

export type DispatchLog = {
  count(dispatched: Dispatched): void;
  close(): void;
};

type Burst = { routed: number; delayed: number; delaySumMs: number; maxDelayMs: number };

const BURST_MS = 2000;
/** Due times are in whole milliseconds: a shorter delay is an immediate publication. */
const MIN_DELAY_MS = 1;

export function createDispatchLog(log: Log, clock: Clock, dispatcherId: string): DispatchLog {
  let bursts = new Map<string, Burst>();
  let cancel: CancelTimer | undefined;

  function write(): void {
    cancel = undefined;
    for (const [provider, burst] of bursts) log.write(lineOf(provider, burst, dispatcherId));
    bursts = new Map();
  }

  return {
    count({ provider = 'none', delayMs }) {
      const burst = bursts.get(provider) ?? newBurst();
      bursts.set(provider, burst);
      if (delayMs < MIN_DELAY_MS) burst.routed += 1;
      else {
        burst.delayed += 1;
        burst.delaySumMs += delayMs;
        burst.maxDelayMs = Math.max(burst.maxDelayMs, delayMs);
      }
      cancel ??= clock.after(BURST_MS, write);
    },
    close() {
      cancel?.();
      write();
    },
  };
}

function newBurst(): Burst {
  return { routed: 0, delayed: 0, delaySumMs: 0, maxDelayMs: 0 };
}

function lineOf(provider: string, burst: Burst, dispatcherId: string) {
  const { routed, delayed, delaySumMs, maxDelayMs } = burst;
  const delays =
    delayed === 0
      ? {}
      : { delayMs: Math.round(delaySumMs / delayed), maxDelayMs: Math.round(maxDelayMs) };
  return {
    level: 'info',
    type: 'capacity',
    message: `dispatched ${routed + delayed} ${routed + delayed === 1 ? 'message' : 'messages'}`,
    metadata: { event: 'dispatch', dispatcherId, provider, routed, delayed, ...delays },
  } as const;
}

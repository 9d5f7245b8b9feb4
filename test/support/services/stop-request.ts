// A stop request from any source: Ctrl-C, SIGTERM, a closed terminal, or the end of the parent process
// (polled by `parentPid`, because no signal reports it). Releasing restores the signals' default behaviour.

import type { Log } from './service-catalogue.ts';

export type StopRequest = {
  /** Aborted with a `StopReason`. */
  signal: AbortSignal;
  release(): void;
};

export class StopReason extends Error {
  readonly exitCode: number;

  constructor(name: string, exitCode: number) {
    super(name);
    this.exitCode = exitCode;
  }
}

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const PARENT_CHECK_MS = 500;

export function listenForStop(log: Log, parentPid?: number): StopRequest {
  const controller = new AbortController();
  const stop = (reason: StopReason) => {
    if (!controller.signal.aborted)
      log(`Asked to stop (${reason.message}); ending what was started …`);
    controller.abort(reason);
  };
  const onSignal = (name: NodeJS.Signals) => {
    const exitCode = name === 'SIGHUP' || name === 'SIGTERM' ? EXIT_CODES[name] : EXIT_CODES.SIGINT;
    stop(new StopReason(name, exitCode));
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  const timer = setInterval(() => {
    if (parentPid === undefined || process.ppid === parentPid) return;
    stop(new StopReason('the command has ended', EXIT_CODES.SIGHUP));
  }, PARENT_CHECK_MS).unref();
  return {
    signal: controller.signal,
    release() {
      clearInterval(timer);
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(name, onSignal);
    },
  };
}

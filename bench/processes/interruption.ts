// Turns SIGINT, SIGTERM and SIGHUP into an AbortSignal, so that a run stops its processes before it exits. A second
// signal exits immediately.

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export function interruption(what = 'The benchmark'): { signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new Interrupted(`${what} was interrupted.`));
  };
  for (const name of SIGNALS) process.on(name, stop);
  return {
    signal: controller.signal,
    dispose() {
      for (const name of SIGNALS) process.off(name, stop);
    },
  };
}

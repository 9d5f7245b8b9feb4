// The jobs this process is running, so that a cancellation reaches them at once. On other servers the worker
// learns of it when it next renews its lease.

export type RunningJobs = {
  begin(jobId: string): RunHandle;
  /** False when it does not run here. */
  stop(jobId: string, reason: StopReason): boolean;
  stopAll(reason: StopReason): void;
  readonly size: number;
};

export type RunHandle = {
  /** Aborts when the job is to stop. */
  readonly signal: AbortSignal;
  /** Why it is to stop; undefined while it is not. */
  stopReason(): StopReason | undefined;
  /** Takes it off the list. */
  end(): void;
};

/** `moved`: somebody else has changed the job meanwhile, so that whatever is being done for it is in vain. */
export type StopReason = 'cancelled' | 'deadline' | 'moved' | 'shutdown';

type Run = { readonly controller: AbortController; reason: StopReason | undefined };

export function createRunningJobs(): RunningJobs {
  // Two copies of one message may be in hand at once until the fence tells them apart.
  const running = new Map<string, Set<Run>>();
  return {
    begin(jobId) {
      const run: Run = { controller: new AbortController(), reason: undefined };
      const runs = running.get(jobId) ?? new Set();
      running.set(jobId, runs.add(run));
      return {
        signal: run.controller.signal,
        stopReason: () => run.reason,
        end() {
          runs.delete(run);
          if (runs.size === 0) running.delete(jobId);
        },
      };
    },
    stop(jobId, reason) {
      for (const run of running.get(jobId) ?? []) {
        run.reason ??= reason;
        run.controller.abort(reason);
      }
      return running.has(jobId);
    },
    stopAll(reason) {
      for (const jobId of running.keys()) this.stop(jobId, reason);
    },
    get size() {
      return running.size;
    },
  };
}

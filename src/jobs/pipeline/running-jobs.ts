// The jobs that this process runs, so that a cancellation aborts their calls immediately. A worker on another server
// finds out when it next renews its lease.

export type RunningJobs = {
  begin(jobId: string): RunHandle;
  /** False if it does not run in this process. */
  stop(jobId: string, reason: StopReason): boolean;
  stopAll(reason: StopReason): void;
  readonly size: number;
};

export type RunHandle = {
  /** Aborts when the job has to stop. */
  readonly signal: AbortSignal;
  /** Undefined while the job may run. */
  stopReason(): StopReason | undefined;
  /** Removes the run from the list. */
  end(): void;
};

/** `moved`: the job's fence has changed, so its result would be refused. */
export type StopReason = 'cancelled' | 'deadline' | 'moved' | 'shutdown';

type Run = { readonly controller: AbortController; reason: StopReason | undefined };

export function createRunningJobs(): RunningJobs {
  // Two copies of one message may be processed at once until the fence refuses the second.
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

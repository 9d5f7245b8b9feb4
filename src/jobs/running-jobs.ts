// The jobs this process is running, so that a cancellation reaches them at once. On other servers the worker
// learns of it when it next renews its lease.

export type RunningJobs = {
  /** The returned signal aborts when the job is to stop; `end` takes it off the list. */
  begin(jobId: string): { readonly signal: AbortSignal; end(): void };
  /** False when it does not run here. */
  stop(jobId: string, reason: StopReason): boolean;
  stopAll(reason: StopReason): void;
  readonly size: number;
};

/** `moved`: somebody else has changed the job meanwhile, so that whatever is being done for it is in vain. */
export type StopReason = 'cancelled' | 'deadline' | 'moved' | 'shutdown';

export function createRunningJobs(): RunningJobs {
  // Two copies of one message may be in hand at once until the fence tells them apart.
  const running = new Map<string, Set<AbortController>>();
  return {
    begin(jobId) {
      const controller = new AbortController();
      const controllers = running.get(jobId) ?? new Set();
      running.set(jobId, controllers.add(controller));
      return {
        signal: controller.signal,
        end() {
          controllers.delete(controller);
          if (controllers.size === 0) running.delete(jobId);
        },
      };
    },
    stop(jobId, reason) {
      const controllers = running.get(jobId) ?? [];
      for (const controller of controllers) controller.abort(reason);
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

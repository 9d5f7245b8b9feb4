// Work that can be stopped and started again, such as the consumers of a server that an operator drains and resumes.
// States: running ⇄ paused → closed. Changes apply one after the other: a resume during a pause starts the work when the
// pause has ended.

export type RunningWork = { close(): Promise<void> };

export type PausableWork = {
  /** Resolves when the work in progress has ended. Idempotent. */
  pause(): Promise<void>;
  /** Idempotent; after close it starts nothing. */
  resume(): Promise<void>;
  close(): Promise<void>;
};

export function startPausableWork(start: () => RunningWork): PausableWork {
  let running: RunningWork | undefined = start();
  let isClosed = false;
  let last: Promise<void> = Promise.resolve();

  function inTurn(change: () => Promise<void> | void): Promise<void> {
    const turn = last.then(change);
    last = turn.catch(() => {});
    return turn;
  }

  async function stop(): Promise<void> {
    const stopped = running;
    running = undefined;
    await stopped?.close();
  }

  return {
    pause: () => inTurn(stop),
    resume: () =>
      inTurn(() => {
        if (!isClosed) running ??= start();
      }),
    close() {
      isClosed = true;
      return inTurn(stop);
    },
  };
}

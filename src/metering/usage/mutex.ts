// Mutual exclusion for asynchronous work, in the order of arrival. Work that fails does not block the work behind it.

/** Runs the work when all earlier work has ended. */
export type Mutex = <T>(work: () => Promise<T>) => Promise<T>;

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}

// One piece of work at a time, in the order of asking. What reads a sum and what moves it share a lane, so that nothing
// is seen halfway. Work that fails does not stop the next.

export type Lane = <T>(work: () => Promise<T>) => Promise<T>;

export function createLane(): Lane {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}

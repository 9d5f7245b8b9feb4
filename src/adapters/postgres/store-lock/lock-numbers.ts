// The advisory locks that Spillways take on a database, by number. The first number is ours alone, so that other
// programs' locks in the same database are other locks.

export const STORE_LOCKS = Object.freeze({
  /** "spil" */
  family: 0x73_70_69_6c,
  migrating: 1,
  /** Held for as long as a server runs: shared where servers share a Redis, else by one alone. */
  serving: 2,
});

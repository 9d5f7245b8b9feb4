// The port to the local journal: what was used is written here before the caller has its answer, and
// stays until the store has it. A record may be delivered to the store twice (after a crash), so the store
// takes each id once; no record is ever delivered zero times.

export type Journal<T> = {
  /** Calls `onWritten` once the record would survive the death of this process. Many share one write. */
  append(record: T, onWritten: () => void): void;
  /** False while the journal's disk refuses writes; then nothing new may be started. */
  isWritable(): boolean;
  /** The oldest records the store does not have yet, in order, at most `max`. */
  oldest(max: number): readonly T[];
  /** The store has the `count` oldest records. */
  release(count: number): void;
  /** How many records wait to be released, as far as is known without reading files. */
  backlog(): number;
  close(): Promise<void>;
};

// The port to the local journal, a write-ahead file. An entry is written before the caller gets its answer and stays until the
// store has it. After a crash an entry may be delivered to the store twice, so the store accepts each id once; no entry is
// lost.

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

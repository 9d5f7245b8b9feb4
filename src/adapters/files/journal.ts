// The write-ahead journal as append-only files with one JSON record per line. The records of one turn of the event loop
// share one write (group commit); the answers of that turn are sent after it. A write without fsync survives the death
// of the process but not a power failure.
//
// One segment is active. It is truncated when the store has all its records; while the store is unavailable it grows to
// SEGMENT_BYTES and a new one begins. Only the next segment to drain and the active one have their records in memory, so
// a long outage costs disk space, not memory. A torn last line was never acknowledged and is skipped. While the disk
// rejects writes, records stay in memory for the store and `isWritable` is false.

import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { Journal } from '../../metering/usage/journal.ts';

const SEGMENT_BYTES = 4 * 1024 * 1024;
const TRUNCATE_BYTES = 256 * 1024;
const WRITE_RETRY_MS = 1000;
/** Enough for one turn of the event loop; a larger buffer is released after its write. */
const LINES_BYTES = 64 * 1024;
/** A UTF-16 code unit takes at most this in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;
const LINE_END = 0x0a;
const SUFFIX = '.jsonl';

export type FileJournalOptions<T> = {
  readonly folder: string;
  readonly clock: Clock;
  encode(record: T): string;
  decode(line: string): T | undefined;
  /** Called when writes begin to fail and when they succeed again. */
  onWritableChange(isWritable: boolean, cause?: unknown): void;
  readonly segmentBytes?: number;
};

type Segment<T> = {
  readonly path: string;
  /** Records that the store does not have yet; undefined if they are only in the file. */
  records: T[] | undefined;
};

export function openFileJournal<T>(options: FileJournalOptions<T>): Journal<T> {
  return new FileJournal(options);
}

class FileJournal<T> implements Journal<T> {
  readonly #options: FileJournalOptions<T>;
  readonly #full: Segment<T>[] = [];
  #active: Segment<T> & { records: T[] };
  #activeFd: number;
  #activeBytes = 0;
  #sequence = 0;
  /** The encoded lines that are not written yet, outside the heap. */
  #lines = Buffer.allocUnsafeSlow(LINES_BYTES);
  #linesBytes = 0;
  #turn: T[] = [];
  #waiting: (() => void)[] = [];
  #isWritable = true;
  #cancelRetry: CancelTimer | undefined;
  #isClosed = false;

  constructor(options: FileJournalOptions<T>) {
    this.#options = options;
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(options.folder).sort()) {
      if (!name.endsWith(SUFFIX)) continue;
      this.#full.push({ path: join(options.folder, name), records: undefined });
      this.#sequence = Math.max(this.#sequence, Number.parseInt(name, 10) || 0);
    }
    this.#active = this.#newSegment();
    this.#activeFd = openSync(this.#active.path, 'a', 0o600);
  }

  append(record: T, onWritten: () => void): void {
    if (this.#waiting.length === 0) setImmediate(() => this.#commit());
    this.#addLine(this.#options.encode(record));
    this.#turn.push(record);
    this.#waiting.push(onWritten);
  }

  isWritable(): boolean {
    return this.#isWritable;
  }

  oldest(max: number): readonly T[] {
    for (let segment = this.#full[0]; segment; segment = this.#full[0]) {
      segment.records ??= this.#readBack(segment.path);
      if (segment.records.length > 0) return segment.records.slice(0, max);
      this.#full.shift();
      rmSync(segment.path, { force: true });
    }
    return this.#active.records.slice(0, max);
  }

  release(count: number): void {
    const segment = this.#full[0] ?? this.#active;
    segment.records?.splice(0, count);
    if (this.#full.length === 0 && this.#active.records.length === 0)
      this.#emptyFile(TRUNCATE_BYTES);
  }

  backlog(): number {
    return [...this.#full, this.#active].reduce(
      (sum, segment) => sum + (segment.records?.length ?? 1),
      0,
    );
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#waiting.length > 0) this.#commit();
    // A last attempt for lines that the disk rejected.
    else if (this.#linesBytes > 0) this.#write();
    this.#isClosed = true;
    this.#cancelRetry?.();
    const isDrained = this.#active.records.length === 0;
    closeSync(this.#activeFd);
    // The file may not exist: a folder can be deleted under a running process.
    if (isDrained) rmSync(this.#active.path, { force: true });
  }

  #commit(): void {
    if (this.#isClosed || this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    const turn = this.#turn;
    this.#waiting = [];
    this.#turn = [];
    this.#write();
    for (const record of turn) this.#active.records.push(record);
    for (const onWritten of waiting) onWritten();
    if (this.#activeBytes >= (this.#options.segmentBytes ?? SEGMENT_BYTES)) this.#rotate();
  }

  #addLine(line: string): void {
    this.#ensureCapacity(line.length * MAX_BYTES_PER_UNIT + 1);
    this.#linesBytes += this.#lines.write(line, this.#linesBytes);
    this.#lines[this.#linesBytes++] = LINE_END;
  }

  #ensureCapacity(bytes: number): void {
    const needed = this.#linesBytes + bytes;
    if (needed <= this.#lines.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#lines.length));
    this.#lines.copy(larger, 0, 0, this.#linesBytes);
    this.#lines = larger;
  }

  #write(): void {
    try {
      for (let at = 0; at < this.#linesBytes; )
        at += writeSync(this.#activeFd, this.#lines, at, this.#linesBytes - at);
      this.#activeBytes += this.#linesBytes;
      this.#linesBytes = 0;
      if (this.#lines.length > LINES_BYTES) this.#lines = Buffer.allocUnsafeSlow(LINES_BYTES);
      this.#setWritable(true);
    } catch (cause) {
      this.#beginOnNewLine();
      this.#setWritable(false, cause);
      this.#cancelRetry?.();
      this.#cancelRetry = this.#options.clock.after(WRITE_RETRY_MS, () => this.#write());
    }
  }

  /** The retry starts on a new line, so that a half-written line stays torn instead of merging with the next. */
  #beginOnNewLine(): void {
    if (this.#lines[0] === LINE_END) return;
    this.#ensureCapacity(1);
    this.#lines.copyWithin(1, 0, this.#linesBytes);
    this.#lines[0] = LINE_END;
    this.#linesBytes += 1;
  }

  #setWritable(isWritable: boolean, cause?: unknown): void {
    if (this.#isWritable === isWritable) return;
    this.#isWritable = isWritable;
    this.#options.onWritableChange(isWritable, cause);
  }

  #rotate(): void {
    if (this.#active.records.length === 0) return this.#emptyFile(0);
    const next = this.#newSegment();
    const nextFd = this.#tryOpen(next.path);
    if (nextFd === undefined) return;
    closeSync(this.#activeFd);
    // Only the next segment to drain keeps its records in memory; the others are read back when drained.
    const full: Segment<T> = this.#active;
    if (this.#full.length > 0) full.records = undefined;
    this.#full.push(full);
    this.#active = next;
    this.#activeFd = nextFd;
    this.#activeBytes = 0;
  }

  /** If no file can be opened (no descriptor, no inode), the active segment grows until one can. */
  #tryOpen(path: string): number | undefined {
    try {
      return openSync(path, 'a', 0o600);
    } catch {
      return undefined;
    }
  }

  #emptyFile(aboveBytes: number): void {
    if (this.#activeBytes <= aboveBytes) return;
    ftruncateSync(this.#activeFd, 0);
    this.#activeBytes = 0;
  }

  #newSegment(): Segment<T> & { records: T[] } {
    this.#sequence += 1;
    const name = `${String(this.#sequence).padStart(12, '0')}${SUFFIX}`;
    return { path: join(this.#options.folder, name), records: [] };
  }

  #readBack(path: string): T[] {
    const records: T[] = [];
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      const record = line === '' ? undefined : this.#options.decode(line);
      if (record !== undefined) records.push(record);
    }
    return records;
  }
}

// The journal as append-only files of one JSON record per line. All records of one turn of the event loop
// share one write (group commit): the answers of that turn are sent right after it. `write` without fsync
// survives the process, not the loss of the machine's power; that is what is promised.
//
// One segment is active. It is emptied in place when the store has all of it; when the store is away it
// grows to SEGMENT_BYTES and a new one begins. Only the newest full segments keep their records in memory,
// so that a long outage costs disk, not memory. A torn last line was never acknowledged and is passed over.
// While the disk refuses writes, records stay in memory for the store and `isWritable` says so.

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
const RETRY_WRITE_MS = 1000;
const SUFFIX = '.jsonl';

export type FileJournalOptions<T> = {
  readonly folder: string;
  readonly clock: Clock;
  encode(record: T): string;
  decode(line: string): T | undefined;
  /** Told when writing begins to fail and when it works again. */
  onWritableChange(isWritable: boolean, cause?: unknown): void;
  readonly segmentBytes?: number;
};

type Segment<T> = {
  readonly path: string;
  /** Those the store does not have yet; absent when they are only in the file. */
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
  #lines = '';
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
    this.#lines += `${this.#options.encode(record)}\n`;
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
    // What the disk had refused gets its last chance.
    else if (this.#lines !== '') this.#write();
    this.#isClosed = true;
    this.#cancelRetry?.();
    const isDrained = this.#active.records.length === 0;
    closeSync(this.#activeFd);
    // It may be gone already: a folder can be removed under a process that runs.
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

  #write(): void {
    const bytes = Buffer.from(this.#lines);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#activeFd, bytes, at);
      this.#lines = '';
      this.#activeBytes += bytes.length;
      this.#setWritable(true);
    } catch (cause) {
      // The lines are kept and written again, from a fresh line, so that a half-written one stays torn.
      this.#lines = this.#lines.startsWith('\n') ? this.#lines : `\n${this.#lines}`;
      this.#setWritable(false, cause);
      this.#cancelRetry?.();
      this.#cancelRetry = this.#options.clock.after(RETRY_WRITE_MS, () => this.#write());
    }
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
    // Only the segment next to be drained keeps its records; the others are read back when their turn comes.
    const full: Segment<T> = this.#active;
    if (this.#full.length > 0) full.records = undefined;
    this.#full.push(full);
    this.#active = next;
    this.#activeFd = nextFd;
    this.#activeBytes = 0;
  }

  /** Without a file to go on in (no descriptor left, no inode), the active one grows until there is one. */
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

// Writes log lines in batches: several times a second, one write at a time, off the thread that serves requests. A line is
// encoded immediately into a buffer outside the heap: lines kept as strings until their batch would survive the scavenges of
// a busy server. A reader that is too slow costs lines, never unbounded memory or time.
//
// States: idle → gathering (a timer runs) → writing (new lines are gathered) → idle.

import { write, writeSync } from 'node:fs';

const GATHER_MS = 100;
const BUFFER_BYTES = 64 * 1024;
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/** A UTF-16 code unit takes at most this in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

export type LineWriter = {
  /** `line` ends with a newline. */
  write(line: string): void;
  /** Writes the gathered lines synchronously, for the end of the process. */
  flush(done: () => void): void;
};

export function createLineWriter(fd: number): LineWriter {
  const gathered = new GatheredLines();
  let timer: NodeJS.Timeout | undefined;
  let isWriting = false;
  let dropped = 0;
  /** Bytes that a full pipe did not accept, until they are written again. */
  let refused: { bytes: Buffer; timer: NodeJS.Timeout } | undefined;
  /** A flush requested during a write: its lines must not overtake the ones in flight. */
  let afterWrite: (() => void) | undefined;

  function begin(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isWriting) return;
    const bytes = gathered.next();
    if (!bytes) return;
    isWriting = true;
    writeAll(bytes);
  }

  function writeAll(bytes: Buffer): void {
    refused = undefined;
    write(fd, bytes, 0, bytes.length, null, (error, written) => {
      // A full pipe fails immediately; the bytes are written again after a delay.
      if (error?.code === 'EAGAIN') {
        refused = { bytes, timer: setTimeout(() => writeAll(bytes), GATHER_MS).unref() };
        return afterWrite?.();
      }
      if (!error && written < bytes.length) return writeAll(bytes.subarray(written));
      isWriting = false;
      gathered.reuse(bytes);
      noteDropped();
      if (afterWrite) return afterWrite();
      if (gathered.hasFullBuffer) begin();
      else if (gathered.bytes > 0) schedule();
    });
  }

  function schedule(): void {
    timer ??= setTimeout(begin, GATHER_MS).unref();
  }

  function noteDropped(): void {
    if (dropped === 0) return;
    gathered.add(
      `{"level":"warn","log_type":"error","message":"${dropped} log lines were dropped: the reader is too slow"}\n`,
    );
    dropped = 0;
  }

  /** Blocks until the reader has taken everything. */
  function writeNow(done: () => void): void {
    clearTimeout(timer);
    clearTimeout(refused?.timer);
    const first = refused?.bytes;
    timer = refused = afterWrite = undefined;
    isWriting = false;
    try {
      for (let bytes = first ?? gathered.next(); bytes; bytes = gathered.next())
        for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    } catch {
      // The reader has closed the pipe; losing log lines must not fail the process.
    }
    done();
  }

  return {
    write(line) {
      if (gathered.bytes > MAX_WAITING_BYTES) {
        dropped += 1;
        return;
      }
      gathered.add(line);
      if (gathered.hasFullBuffer) begin();
      else schedule();
    },
    flush(done) {
      if (!isWriting || refused) return writeNow(done);
      const earlier = afterWrite;
      afterWrite = () => {
        earlier?.();
        writeNow(done);
      };
    },
  };
}

/** Encoded lines in the order of their arrival: full buffers and the buffer that is being filled. */
class GatheredLines {
  readonly #full: Buffer[] = [];
  #buffer: Buffer | undefined;
  #used = 0;
  #spare: Buffer | undefined;
  /** All bytes that wait to be written. */
  bytes = 0;

  get hasFullBuffer(): boolean {
    return this.#full.length > 0;
  }

  add(line: string): void {
    const maxBytes = line.length * MAX_BYTES_PER_UNIT;
    if (this.#buffer && this.#buffer.length - this.#used < maxBytes) this.#close();
    this.#buffer ??= this.#newBuffer(maxBytes);
    const written = this.#buffer.write(line, this.#used);
    this.#used += written;
    this.bytes += written;
  }

  /** The oldest lines, removed from here. */
  next(): Buffer | undefined {
    if (this.#full.length === 0 && this.#used > 0) this.#close();
    const bytes = this.#full.shift();
    this.bytes -= bytes?.length ?? 0;
    return bytes;
  }

  /** Keeps one written buffer for later lines. */
  reuse({ buffer, byteLength }: Buffer): void {
    if (byteLength > 0 && buffer.byteLength === BUFFER_BYTES) this.#spare = Buffer.from(buffer);
  }

  #newBuffer(minBytes: number): Buffer {
    const spare = minBytes <= BUFFER_BYTES ? this.#spare : undefined;
    if (spare) this.#spare = undefined;
    return spare ?? Buffer.allocUnsafeSlow(Math.max(BUFFER_BYTES, minBytes));
  }

  #close(): void {
    if (this.#buffer) this.#full.push(this.#buffer.subarray(0, this.#used));
    this.#buffer = undefined;
    this.#used = 0;
  }
}

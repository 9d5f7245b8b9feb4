// Writes log lines in batches: several times a second, one write at a time, off the thread that serves requests. A reader
// that is too slow costs lines, never unbounded memory or time.
//
// States: idle → gathering (a timer runs) → writing (new lines are gathered) → idle.

import { write, writeSync } from 'node:fs';

const GATHER_MS = 100;
const WRITE_AT_CHARACTERS = 64 * 1024;
const MAX_WAITING_CHARACTERS = 8 * 1024 * 1024;

export type LineWriter = {
  /** `line` ends with a newline. */
  write(line: string): void;
  /** Writes the gathered lines synchronously, for the end of the process. */
  flush(done: () => void): void;
};

export function createLineWriter(fd: number): LineWriter {
  let gathered = '';
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
    if (isWriting || gathered === '') return;
    const bytes = Buffer.from(gathered);
    gathered = '';
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
      noteDropped();
      if (afterWrite) return afterWrite();
      if (gathered.length >= WRITE_AT_CHARACTERS) begin();
      else if (gathered !== '') schedule();
    });
  }

  function schedule(): void {
    timer ??= setTimeout(begin, GATHER_MS).unref();
  }

  function noteDropped(): void {
    if (dropped === 0) return;
    gathered += `{"level":"warn","log_type":"error","message":"${dropped} log lines were dropped: the reader is too slow"}\n`;
    dropped = 0;
  }

  /** Blocks until the reader has taken everything. */
  function writeNow(done: () => void): void {
    clearTimeout(timer);
    clearTimeout(refused?.timer);
    const bytes = Buffer.concat([refused?.bytes ?? Buffer.alloc(0), Buffer.from(gathered)]);
    timer = refused = afterWrite = undefined;
    isWriting = false;
    gathered = '';
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    } catch {
      // The reader is gone; losing log lines must not fail the process.
    }
    done();
  }

  return {
    write(line) {
      if (gathered.length > MAX_WAITING_CHARACTERS) {
        dropped += 1;
        return;
      }
      gathered += line;
      if (gathered.length >= WRITE_AT_CHARACTERS) begin();
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

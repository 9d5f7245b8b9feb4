// Reads and decodes a request's body up to a limit. A content length above the limit is refused before the first byte; a
// body that grows above the limit or above its quota is refused there and its remaining bytes are discarded. An upload
// that pauses for too long is refused, so that it does not occupy its quota. A body in thousands of chunks of a few bytes is
// refused, because Node calls the server for each chunk: a few megabytes would occupy the process for seconds.

import type { IncomingMessage } from 'node:http';
import { SpillwayError, toSpillwayError } from '../../errors/spillway-error.ts';
import type { Clock } from '../../kernel/clock.ts';
import { turnAfter } from '../../kernel/next-turn.ts';
import type { Ticket, Watch, Watched } from '../../kernel/watch.ts';
import { BytePieces } from '../../upstream/byte-pieces.ts';
import type { BodyLease } from './body-quota.ts';
import { decodeBody } from './decode-body.ts';
import type { DecodeQueue } from './decode-queue.ts';

export type BodyTerms = {
  readonly limitBytes: number;
  /** Counts the bytes as they arrive, and the decoded ones. */
  readonly lease: BodyLease;
};

export type BodyIntake = {
  readonly clock: Clock;
  readonly watch: Watch;
  /** The longest pause between two chunks. */
  readonly idleTimeoutMs: number;
  readonly decoding: DecodeQueue;
};

/** The announced length of a body; undefined for a body of unknown length. */
export function announcedBytes({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length);
  return headers['transfer-encoding'] === undefined ? 0 : undefined;
}

export function readBody(
  request: IncomingMessage,
  terms: BodyTerms,
  intake: BodyIntake,
  done: (body: Buffer) => void,
  failed: (error: SpillwayError) => void,
): void {
  if ((announcedBytes(request) ?? 0) > terms.limitBytes) return failed(tooLarge(terms.limitBytes));
  new BodyReading(request, terms, intake, done, failed).start();
}

/** No client writes as many chunks of a few bytes; TCP alone delivers larger ones. */
const MAX_TINY_CHUNKS = 8192;
const TINY_CHUNK_BYTES = 16;

class BodyReading implements Watched {
  readonly #request: IncomingMessage;
  readonly #terms: BodyTerms;
  readonly #intake: BodyIntake;
  readonly #done: (body: Buffer) => void;
  readonly #failed: (error: SpillwayError) => void;
  /** A body of known length that arrived in one piece. */
  #only: Buffer | undefined;
  #pieces: BytePieces | undefined;
  #size = 0;
  #chunks = 0;
  #lastChunkAtMs: number;
  #ticket: Ticket | undefined;

  constructor(
    request: IncomingMessage,
    terms: BodyTerms,
    intake: BodyIntake,
    done: (body: Buffer) => void,
    failed: (error: SpillwayError) => void,
  ) {
    this.#request = request;
    this.#terms = terms;
    this.#intake = intake;
    this.#done = done;
    this.#failed = failed;
    this.#lastChunkAtMs = intake.clock.monotonic();
  }

  start(): void {
    this.#ticket = this.#intake.watch.join(this);
    this.#request.on('data', (chunk: Buffer) => this.#add(chunk));
    this.#request.on('end', () => this.#end());
  }

  check(nowMs: number): void {
    // The caller has disconnected.
    if (this.#request.destroyed) return this.#leave();
    if (nowMs - this.#lastChunkAtMs < this.#intake.idleTimeoutMs) return;
    this.#fail(
      new SpillwayError('NETWORK_TIMEOUT', 'the upload paused for too long', {
        params: { phase: 'lost' },
      }),
    );
  }

  #add(chunk: Buffer): void {
    if (this.#ticket === undefined) return;
    this.#size += chunk.length;
    this.#chunks += 1;
    if (this.#chunks > MAX_TINY_CHUNKS && this.#size < this.#chunks * TINY_CHUNK_BYTES)
      return this.#fail(tooManyChunks());
    const { limitBytes, lease } = this.#terms;
    if (this.#size > limitBytes) return this.#fail(tooLarge(limitBytes));
    try {
      lease.growTo(this.#size);
    } catch (refusal) {
      return this.#fail(toSpillwayError(refusal));
    }
    this.#lastChunkAtMs = this.#intake.clock.monotonic();
    this.#keep(chunk);
  }

  #keep(chunk: Buffer): void {
    const announced = announcedBytes(this.#request);
    if (chunk.length === announced) this.#only = chunk;
    else (this.#pieces ??= new BytePieces(announced)).add(chunk);
  }

  #end(): void {
    if (this.#ticket === undefined) return;
    this.#leave();
    this.#terms.lease.uploaded();
    const body = this.#only ?? this.#pieces?.joined() ?? EMPTY;
    this.#forget();
    if (this.#request.headers['content-encoding'] === undefined) return this.#decode(body);
    this.#intake.decoding.run((release) => this.#decode(body, release));
  }

  #decode(encoded: Buffer, release?: () => void): void {
    const encoding = this.#request.headers['content-encoding'];
    decodeBody(encoded, encoding, this.#terms.limitBytes, (error, body) => {
      release?.();
      if (error) this.#failed(error);
      else this.#decoded(body);
    });
  }

  /** The encoded bytes are garbage by now, so the larger of the two sizes counts. */
  #decoded(body: Buffer): void {
    try {
      this.#terms.lease.growTo(body.length);
    } catch (refusal) {
      return this.#failed(toSpillwayError(refusal));
    }
    // Many large bodies may be complete at once.
    const turn = turnAfter(body.length);
    if (turn) void turn.then(() => this.#done(body));
    else this.#done(body);
  }

  #forget(): void {
    this.#only = undefined;
    this.#pieces = undefined;
  }

  /** The rest of the body is discarded as it arrives. */
  #fail(error: SpillwayError): void {
    this.#leave();
    this.#forget();
    this.#failed(error);
  }

  #leave(): void {
    if (this.#ticket === undefined) return;
    this.#intake.watch.leave(this.#ticket);
    this.#ticket = undefined;
  }
}

const EMPTY = Buffer.alloc(0);

function tooLarge(limit: number): SpillwayError {
  return new SpillwayError('REQUEST_TOO_LARGE', 'the body is larger than the limit', {
    params: { limit },
  });
}

function tooManyChunks(): SpillwayError {
  return new SpillwayError('INVALID_REQUEST', 'the body has thousands of chunks of a few bytes');
}

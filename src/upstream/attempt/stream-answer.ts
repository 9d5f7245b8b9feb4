// Relays a provider's stream. It withholds an incomplete event (so that half of the provider's error event never reaches
// the caller) and everything before the first content (so that an early failure can still be retried). Both are bounded:
// an event larger than the bound is relayed in parts, and beyond the bound the bytes before content are released.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { MeteredUsage } from '../../kernel/usage.ts';
import { containsError } from '../json/error-member.ts';
import { skipSpace } from '../json/scan.ts';
import { createStreamReader, type PendingKind, type StreamReader } from '../streams/reader.ts';

export type StreamStep =
  | { readonly kind: 'wait' }
  | { readonly kind: 'relay'; readonly bytes: Buffer }
  /** The stream ended cleanly; `bytes` are its last events. */
  | { readonly kind: 'complete'; readonly bytes: Buffer }
  | { readonly kind: 'error'; readonly raw: Buffer }
  /** The stream ended without an end marker, or sends no content; `held` are the bytes not yet relayed. */
  | { readonly kind: 'broken'; readonly held: Buffer };

const WAIT: StreamStep = { kind: 'wait' };

export class StreamAnswer {
  readonly #reader: StreamReader;
  readonly #maxHeldBytes: number;
  /** The bytes not yet relayed, and their number. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** How many bytes of an event larger than the bound have already been relayed. */
  #spilledBytes = 0;
  #spilledKind: PendingKind = 'unknown';
  #isReleased = false;
  #isBlank = true;
  /** The caller did not ask for the event that carries only the usage. */
  readonly #removesUsageEvent: boolean;
  /** Bytes of the stream that have left this buffer. */
  #passedBytes = 0;
  #refusedAtMs: number | undefined;

  constructor(format: ProviderFormat, maxHeldBytes: number, removesUsageEvent = false) {
    this.#maxHeldBytes = maxHeldBytes;
    this.#removesUsageEvent = removesUsageEvent;
    this.#reader = createStreamReader(format, { maxEventBytes: maxHeldBytes });
  }

  /** No byte but white space has arrived. */
  get isBlank(): boolean {
    return this.#isBlank;
  }

  get hasContent(): boolean {
    return this.#reader.status.contentBegan;
  }

  /** Content other than thinking. */
  get hasAnswer(): boolean {
    return this.#reader.status.answerBegan;
  }

  /** Whether the latest chunk contained content; keep-alives do not. */
  get broughtContent(): boolean {
    return this.#reader.status.broughtContent;
  }

  usage(): MeteredUsage | undefined {
    return this.#reader.usage();
  }

  outputBytes(): number {
    return this.#reader.outputBytes;
  }

  take(chunk: Buffer): StreamStep {
    if (this.#isBlank) this.#isBlank = skipSpace(chunk, 0) >= chunk.length;
    const status = this.#reader.push(chunk);
    if (status.error) return { kind: 'error', raw: status.error };
    if (status.foreign) return this.#withhold(status.foreign);
    if (status.terminal) return { kind: 'complete', bytes: this.#lastBytes(chunk) };
    if (status.idleLines > MAX_IDLE_LINES) return { kind: 'broken', held: EMPTY };
    const refusal = this.#reader.refusal();
    if (refusal) return this.#holdRefusal(chunk, refusal);
    if (status.contentBegan) this.#isReleased = true;
    const { pendingBytes } = status;
    const continues = pendingBytes > chunk.length;
    if (!continues && this.#spilledBytes > 0) {
      const error = this.#errorInParts(chunk);
      if (error) return error;
      this.#spilledBytes = 0;
    }
    if (!this.#isReleased || continues) return this.#hold(chunk, pendingBytes);
    return relay(this.#letGo(chunk, pendingBytes));
  }

  /** The refusal of a chat waits for the usage after it, for a few seconds from the first call with it. Undefined without one. */
  heldRefusal(nowMs: number): StreamStep | undefined {
    const raw = this.#reader.refusal();
    if (!raw) return undefined;
    this.#refusedAtMs ??= nowMs;
    return nowMs - this.#refusedAtMs > MAX_REFUSAL_USAGE_MS ? { kind: 'error', raw } : WAIT;
  }

  /** The provider closed the stream. */
  end(): StreamStep {
    const isGood = this.#reader.isComplete();
    const { error, foreign } = this.#reader.status;
    if (error ?? foreign) return { kind: 'error', raw: error ?? foreign ?? EMPTY };
    return isGood
      ? { kind: 'complete', bytes: this.#lastBytes(undefined) }
      : { kind: 'broken', held: this.#joined(undefined) };
  }

  /** The first content is late and the caller must get a status: relays the withheld events. */
  release(): Buffer {
    this.#isReleased = true;
    const { pendingBytes: pending, foreign } = this.#reader.status;
    if (foreign) return EMPTY;
    return this.#letGo(undefined, pending);
  }

  /** An event that is relayed in parts is searched part by part: its error may be anywhere in it. */
  #errorInParts(chunk: Buffer = EMPTY): StreamStep | undefined {
    if (this.#spilledKind === 'response') return undefined;
    const part = Buffer.concat([...this.#held, chunk]);
    if (this.#spilledKind === 'unknown' && !containsError(part)) return undefined;
    const at = Math.max(0, part.indexOf('"error"'));
    return { kind: 'error', raw: part.subarray(at, at + MAX_FOREIGN_BYTES) };
  }

  /** From the first line that is no part of the format nothing is relayed; the rest is read for its meaning. */
  #withhold(foreign: Buffer): StreamStep {
    this.#held = [];
    this.#heldBytes = 0;
    return foreign.length >= MAX_FOREIGN_BYTES ? { kind: 'error', raw: foreign } : WAIT;
  }

  /** Bytes after the end marker are no part of the stream and may be anything. */
  #lastBytes(chunk: Buffer | undefined): Buffer {
    const { terminalEnd } = this.#reader.status;
    const passed = this.#passedBytes;
    const all = this.#joined(chunk);
    this.#heldBytes = 0;
    const own =
      terminalEnd === undefined ? all : all.subarray(0, Math.max(0, terminalEnd - passed));
    return this.#pass(own);
  }

  /** The refusal is never relayed; the answer of another choice after it releases what is held. */
  #holdRefusal(chunk: Buffer, raw: Buffer): StreamStep {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    return this.#heldBytes <= this.#maxHeldBytes ? WAIT : { kind: 'error', raw };
  }

  #hold(chunk: Buffer, pendingBytes: number): StreamStep {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes <= this.#maxHeldBytes) return WAIT;
    this.#isReleased = true;
    // An event that is itself within the bound stays whole, whatever precedes it.
    if (pendingBytes - this.#spilledBytes > this.#maxHeldBytes) {
      this.#spilledKind = this.#reader.pendingKind();
      const error = this.#errorInParts();
      if (error) return error;
      this.#spilledBytes = pendingBytes - OVERLAP_BYTES;
    }
    return relay(this.#letGo(undefined, pendingBytes));
  }

  /** Gives the withheld bytes and `chunk`, except the pending end, which becomes the withheld part. */
  #letGo(chunk: Buffer | undefined, pendingBytes: number): Buffer {
    const all = this.#joined(chunk);
    const kept = Math.min(all.length, Math.max(0, pendingBytes - this.#spilledBytes));
    this.#heldBytes = kept;
    if (kept === 0) return this.#pass(all);
    this.#held.push(all.subarray(all.length - kept));
    return this.#pass(all.subarray(0, all.length - kept));
  }

  /** Removes the usage event. An incomplete event is withheld, so the event is whole in the bytes that pass. */
  #pass(bytes: Buffer): Buffer {
    const passed = this.#passedBytes;
    this.#passedBytes += bytes.length;
    const { usageEvent } = this.#reader.status;
    if (!this.#removesUsageEvent || !usageEvent || usageEvent.end <= passed) return bytes;
    const start = Math.max(0, usageEvent.start - passed);
    const end = Math.min(bytes.length, usageEvent.end - passed);
    if (start >= end) return bytes;
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  }

  #joined(chunk: Buffer | undefined): Buffer {
    const held = this.#held;
    if (held.length === 0) return chunk ?? EMPTY;
    this.#held = [];
    return Buffer.concat(chunk ? [...held, chunk] : held);
  }
}

/** No provider sends nearly as many keep-alives within the idle clock; an endless flow of comments occupies the process. */
const MAX_IDLE_LINES = 100_000;
/** Providers send the usage right after the refusal. */
const MAX_REFUSAL_USAGE_MS = 3000;
/** Stays withheld between two parts of an event, so that no `error` key is cut in two. */
const OVERLAP_BYTES = 64;
/** The error mapper reads no more. */
const MAX_FOREIGN_BYTES = 8 * 1024;
const EMPTY = Buffer.alloc(0);

function relay(bytes: Buffer): StreamStep {
  return bytes.length === 0 ? WAIT : { kind: 'relay', bytes };
}

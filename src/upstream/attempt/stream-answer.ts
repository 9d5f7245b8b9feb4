// A provider's stream on its way to the caller. Two things are kept back: an event that is not whole yet
// (so that the provider's error event is never half relayed), and everything before the first content (so
// that a failure there can still become another answer). Both are bounded: an event larger than the bound
// is relayed in pieces, and what comes before content is let go.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { Usage } from '../../kernel/usage.ts';
import { createStreamReader, type StreamReader } from '../streams/stream-reader.ts';

export type StreamStep =
  | { readonly kind: 'wait' }
  | { readonly kind: 'relay'; readonly bytes: Buffer }
  /** The stream ended as its format says it should; these are its last events. */
  | { readonly kind: 'complete'; readonly bytes: Buffer }
  | { readonly kind: 'error'; readonly raw: Buffer }
  /** It ended without that; `held` is what has not been relayed. */
  | { readonly kind: 'broken'; readonly held: Buffer };

const WAIT: StreamStep = { kind: 'wait' };

export class StreamAnswer {
  readonly #reader: StreamReader;
  readonly #maxHeldBytes: number;
  /** What has not been relayed yet, and how much of it there is. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** How much of an event that is larger than the bound has been relayed already. */
  #spilledBytes = 0;
  #isReleased = false;

  constructor(format: ProviderFormat, maxHeldBytes: number) {
    this.#maxHeldBytes = maxHeldBytes;
    this.#reader = createStreamReader(format, { maxEventBytes: maxHeldBytes });
  }

  get hasContent(): boolean {
    return this.#reader.signs.contentBegan;
  }

  /** Whether the last piece brought content; keep-alives do not. */
  get broughtContent(): boolean {
    return this.#reader.signs.broughtContent;
  }

  usage(): Usage | undefined {
    return this.#reader.usage();
  }

  outputBytes(): number {
    return this.#reader.outputBytes;
  }

  take(chunk: Buffer): StreamStep {
    const signs = this.#reader.push(chunk);
    if (signs.error) return { kind: 'error', raw: signs.error };
    if (signs.terminal) return { kind: 'complete', bytes: this.#letGo(chunk, 0) };
    if (signs.contentBegan) this.#isReleased = true;
    const { pendingBytes } = signs;
    const continues = pendingBytes > chunk.length;
    if (!continues) this.#spilledBytes = 0;
    if (!this.#isReleased || continues) return this.#hold(chunk, pendingBytes);
    return relay(this.#letGo(chunk, pendingBytes));
  }

  /** The provider closed the stream. */
  end(): StreamStep {
    const isGood = this.#reader.isComplete();
    const { error } = this.#reader.signs;
    if (error) return { kind: 'error', raw: error };
    return isGood
      ? { kind: 'complete', bytes: this.#letGo(undefined, 0) }
      : { kind: 'broken', held: this.#joined(undefined) };
  }

  /** Content is slow to come and the caller must see a status: what was held goes out now. */
  release(): Buffer {
    this.#isReleased = true;
    const pending = this.#reader.signs.pendingBytes;
    return this.#letGo(undefined, pending);
  }

  #hold(chunk: Buffer, pendingBytes: number): StreamStep {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes <= this.#maxHeldBytes) return WAIT;
    this.#isReleased = true;
    // An event that is within the bound by itself stays whole, however much came before it.
    if (pendingBytes - this.#spilledBytes > this.#maxHeldBytes) this.#spilledBytes = pendingBytes;
    return relay(this.#letGo(undefined, pendingBytes));
  }

  /** All that is held and `chunk`, but for the pending end of it, which is held from now on. */
  #letGo(chunk: Buffer | undefined, pendingBytes: number): Buffer {
    const all = this.#joined(chunk);
    const kept = Math.min(all.length, Math.max(0, pendingBytes - this.#spilledBytes));
    this.#heldBytes = kept;
    if (kept === 0) return all;
    this.#held.push(all.subarray(all.length - kept));
    return all.subarray(0, all.length - kept);
  }

  #joined(chunk: Buffer | undefined): Buffer {
    const held = this.#held;
    if (held.length === 0) return chunk ?? EMPTY;
    this.#held = [];
    return Buffer.concat(chunk ? [...held, chunk] : held);
  }
}

const EMPTY = Buffer.alloc(0);

function relay(bytes: Buffer): StreamStep {
  return bytes.length === 0 ? WAIT : { kind: 'relay', bytes };
}

// Bounds the bytes of request bodies that this server holds, in all and per organisation, and the large uploads of an
// organisation that are not complete, by its concurrency. A body is admitted by its announced length before its first byte is
// read; a body without a length is admitted chunk by chunk. Its bytes count until the response has ended, because the call
// needs them until then. A large answer counts, too, until its caller has read it. Without these bounds a few unfinished
// uploads or unread answers of one organisation occupy the memory of all.

import { SpillwayError } from '../../errors/spillway-error.ts';

export type BodyQuotaOptions = {
  readonly maxBytes: number;
  readonly maxBytesPerOrganization: number;
};

/** The organisation that a body counts for. */
export type BodyOwner = {
  readonly organizationId: string;
  /** Bounds the number of the organisation's incomplete large uploads. */
  readonly maxConcurrent: number | undefined;
};

type Held = { bytes: number; uploads: number };

/** A body of up to this size arrives with its headers or soon after. */
export const MAX_SMALL_BODY_BYTES = 64 * 1024;

/** Small bodies may exceed a bound by this factor, so that large uploads cannot lock out ordinary requests and operators. */
const SMALL_BODY_FACTOR = 1.25;

/**
 * Answers to calls may exceed a bound by this factor: they are paid for, and calls in flight were admitted before the
 * size of their answer was known.
 */
const CALL_ANSWER_FACTOR = 2;

const RETRY_AFTER_MS = 1000;
/** Organisations without bodies are dropped beyond this number of entries. */
const MAX_IDLE_ENTRIES = 1000;

export class BodyQuota {
  readonly #options: BodyQuotaOptions;
  readonly #organizations = new Map<string, Held>();
  #bytes = 0;

  constructor(options: BodyQuotaOptions) {
    this.#options = options;
  }

  get heldBytes(): number {
    return this.#bytes;
  }

  /**
   * `announcedBytes` is undefined for a body of unknown length. Throws RATE_LIMITED or CAPACITY_EXHAUSTED when a bound is
   * reached. Release each lease.
   */
  admit(
    { organizationId, maxConcurrent }: BodyOwner,
    announcedBytes: number | undefined,
  ): BodyLease {
    const held = this.#heldBy(organizationId);
    const isLarge = announcedBytes === undefined || announcedBytes > MAX_SMALL_BODY_BYTES;
    if (isLarge && maxConcurrent !== undefined && held.uploads >= maxConcurrent)
      throw organizationRefusal(
        'the organisation has as many incomplete uploads as concurrent calls',
      );
    this.take(held, announcedBytes ?? 0, isLarge ? 1 : SMALL_BODY_FACTOR);
    if (isLarge) held.uploads += 1;
    return new BodyLease(this, held, announcedBytes ?? 0, isLarge);
  }

  /** Counts an answer that is not the answer to a call of a model. Throws as `admit` does. */
  admitAnswer({ organizationId }: BodyOwner, bytes: number): BodyLease {
    const held = this.#heldBy(organizationId);
    this.take(held, bytes);
    return new BodyLease(this, held, bytes, false);
  }

  take(held: Held, bytes: number, factor = 1): void {
    if (held.bytes + bytes > this.#options.maxBytesPerOrganization * factor)
      throw organizationRefusal(
        'the organisation is at its limit of bytes in bodies and unread answers',
      );
    if (this.#bytes + bytes > this.#options.maxBytes * factor)
      throw serverRefusal('server is at its limit of bytes in bodies and unread answers');
    held.bytes += bytes;
    this.#bytes += bytes;
  }

  giveBack(held: Held, bytes: number): void {
    held.bytes -= bytes;
    this.#bytes -= bytes;
  }

  #heldBy(organizationId: string): Held {
    let held = this.#organizations.get(organizationId);
    if (held) return held;
    if (this.#organizations.size >= MAX_IDLE_ENTRIES) this.#dropIdle();
    held = { bytes: 0, uploads: 0 };
    this.#organizations.set(organizationId, held);
    return held;
  }

  #dropIdle(): void {
    for (const [id, { bytes, uploads }] of this.#organizations)
      if (bytes === 0 && uploads === 0) this.#organizations.delete(id);
  }
}

/** The admitted bytes of one body. States: uploading → uploaded → released; uploading → released. */
export class BodyLease {
  readonly #quota: BodyQuota;
  readonly #held: Held;
  #bytes: number;
  #isUploading: boolean;

  constructor(quota: BodyQuota, held: Held, bytes: number, isUploading: boolean) {
    this.#quota = quota;
    this.#held = held;
    this.#bytes = bytes;
    this.#isUploading = isUploading;
  }

  /** Counts `bytes` in total, if that is more than before. Throws as `admit` does. */
  growTo(bytes: number): void {
    if (bytes <= this.#bytes) return;
    this.#quota.take(this.#held, bytes - this.#bytes);
    this.#bytes = bytes;
  }

  /** Counts the answer to a call, beside the body. Throws when far too many bytes are unread. */
  addAnswer(bytes: number): void {
    this.#quota.take(this.#held, bytes, CALL_ANSWER_FACTOR);
    this.#bytes += bytes;
  }

  /** The body is complete. Idempotent. */
  uploaded(): void {
    if (!this.#isUploading) return;
    this.#isUploading = false;
    this.#held.uploads -= 1;
  }

  /** The response has ended. Idempotent. */
  release(): void {
    this.uploaded();
    this.#quota.giveBack(this.#held, this.#bytes);
    this.#bytes = 0;
  }
}

function organizationRefusal(message: string): SpillwayError {
  return new SpillwayError('RATE_LIMITED', message, {
    params: { scope: 'organization', retryAfterMs: RETRY_AFTER_MS },
    retryAfterMs: RETRY_AFTER_MS,
  });
}

function serverRefusal(message: string): SpillwayError {
  return new SpillwayError('CAPACITY_EXHAUSTED', message, { retryAfterMs: RETRY_AFTER_MS });
}

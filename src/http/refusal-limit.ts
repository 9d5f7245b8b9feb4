// Limits refused requests (a wrong key, an unknown path, malformed JSON) by a token bucket per key, or per address without
// one. Beyond the bucket a refusal becomes RATE_LIMITED; a subject that goes on is blocked before its key is looked up and
// its body is read, until its bucket is full enough again. Served requests never count, and a caller with a known key is not
// affected by strangers that share its address.
//
// States of a subject: within its bucket → throttled (refusals are RATE_LIMITED) → blocked (all its requests are) → within.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Principal } from '../admission/principal.ts';
import { SpillwayError } from '../errors/spillway-error.ts';
import type { Clock } from '../kernel/clock.ts';

export type RefusalLimitOptions = {
  /** 0 turns the limit off. */
  readonly perMinute: number;
  /** The capacity of a bucket. */
  readonly burst: number;
  /** Called when a subject becomes throttled, once until its bucket has a token again. */
  readonly onThrottled?: (subject: string) => void;
};

type Bucket = { tokens: number; atMs: number; isThrottled: boolean; isBlocked: boolean };

/** Callers choose keys and addresses; the oldest bucket is dropped first. */
const MAX_BUCKETS = 10_000;
const MINUTE_MS = 60_000;

export class RefusalLimit {
  readonly #clock: Clock;
  readonly #options: RefusalLimitOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock, options: RefusalLimitOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Counts a refusal; returns the error to answer with if the bucket was empty. */
  count(subject: string): SpillwayError | undefined {
    const { perMinute, burst, onThrottled } = this.#options;
    if (perMinute === 0) return undefined;
    const bucket = this.#refilled(subject) ?? this.#add(subject);
    bucket.tokens = Math.max(bucket.tokens - 1, -burst);
    if (bucket.tokens >= 0) return undefined;
    if (!bucket.isThrottled) onThrottled?.(subject);
    bucket.isThrottled = true;
    bucket.isBlocked ||= bucket.tokens <= -burst;
    return this.#refusal(bucket);
  }

  /** The error of a subject that was refused twice its burst and has not paused since. */
  blocked(subject: string): SpillwayError | undefined {
    if (this.#buckets.size === 0) return undefined;
    const bucket = this.#refilled(subject);
    return bucket?.isBlocked ? this.#refusal(bucket) : undefined;
  }

  #refilled(subject: string): Bucket | undefined {
    const bucket = this.#buckets.get(subject);
    if (!bucket) return undefined;
    const now = this.#clock.monotonic();
    const { perMinute, burst } = this.#options;
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.atMs) * perMinute) / MINUTE_MS);
    bucket.atMs = now;
    if (bucket.tokens >= 1) bucket.isThrottled = bucket.isBlocked = false;
    return bucket;
  }

  #add(subject: string): Bucket {
    if (this.#buckets.size >= MAX_BUCKETS) {
      const oldest = this.#buckets.keys().next();
      if (!oldest.done) this.#buckets.delete(oldest.value);
    }
    const atMs = this.#clock.monotonic();
    const bucket = { tokens: this.#options.burst, atMs, isThrottled: false, isBlocked: false };
    this.#buckets.set(subject, bucket);
    return bucket;
  }

  #refusal({ tokens }: Bucket): SpillwayError {
    const retryAfterMs = Math.ceil(((1 - tokens) * MINUTE_MS) / this.#options.perMinute);
    return new SpillwayError('RATE_LIMITED', 'too many refused requests', {
      params: { scope: 'organization', retryAfterMs },
      retryAfterMs,
    });
  }
}

/** A key, or the address of a caller without one. */
export function refusalSubject(request: IncomingMessage, principal: Principal | undefined): string {
  return principal ? keySubject(principal) : addressSubject(request);
}

export function keySubject({ keyId }: Principal): string {
  return `key ${keyId}`;
}

/** An IPv6 caller has a whole /64 network, so its addresses count as one. */
export function addressSubject({
  socket,
}: {
  readonly socket: Pick<Socket, 'remoteAddress'>;
}): string {
  const address = socket.remoteAddress ?? 'unknown';
  if (!address.includes(':')) return `address ${address}`;
  if (address.startsWith(MAPPED)) return `address ${address.slice(MAPPED.length)}`;
  if (address.startsWith(TRANSLATED)) return `address ${address}`;
  return `address ${networkOf(address)}::/64`;
}

const MAPPED = '::ffff:';
/** NAT64 puts all IPv4 callers into one network. */
const TRANSLATED = '64:ff9b::';
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/** The text of an address leaves out its longest run of zeros, which may begin within the network. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('::', 2);
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before.slice(0, NETWORK_GROUPS).join(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, GROUPS - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after].slice(0, NETWORK_GROUPS).join(':');
}

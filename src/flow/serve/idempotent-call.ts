// Claims an idempotency key and stores the answer under it before the caller gets the last byte. While the store is
// unavailable new keys are refused, because an earlier request with the key cannot be ruled out. After the call the caller
// gets the answer even if it could not be stored.
//
// States of a claim: open → kept | unrepeatable | freed. The first transition wins; later ones are ignored.

import type {
  ClaimOutcome,
  IdempotencyClaim,
  IdempotencyStore,
} from '../../admission/idempotency-store.ts';
import { replayHeaders, type StoredAnswer } from '../../admission/stored-answer.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { AnswerRecorder } from './answer-recorder.ts';
import type { Reply } from './reply.ts';

/** The stored answer, or undefined when the key is claimed for this request. Rejects with a SpillwayError. */
export async function claimCall(
  store: IdempotencyStore,
  claim: IdempotencyClaim,
  now: number,
): Promise<StoredAnswer | undefined> {
  return storedOrRefused(await claimed(store, claim, now), now);
}

/** Sends a stored answer whole, including that of a stream. */
export function replayAnswer(reply: Reply, answer: StoredAnswer, own: readonly string[]): void {
  reply.begin(answer.status, [...Object.entries(replayHeaders(answer)).flat(), ...own]);
  reply.end(answer.body);
}

/** Whether a failure is final, so that it is stored; otherwise the key is freed for a retry. */
export function isFinal(error: SpillwayError): boolean {
  // A usage limit is not retried automatically, but the caller may return after its reset with the same key.
  return !error.retryable && error.code !== 'AI_LIMIT_REACHED';
}

export type KeeperParts = {
  readonly store: IdempotencyStore;
  readonly clock: Clock;
  readonly log: Log;
};

/** Records the answer to a claimed request and settles the claim. No method rejects. */
export class AnswerKeeper {
  readonly #parts: KeeperParts;
  readonly #claim: IdempotencyClaim;
  readonly #recorder = new AnswerRecorder();
  #settled: Promise<void> | undefined;

  constructor(parts: KeeperParts, claim: IdempotencyClaim) {
    this.#parts = parts;
    this.#claim = claim;
  }

  /** Headers are names and values alternating. */
  begin(status: number, headers: readonly string[]): void {
    this.#recorder.begin(status, headers);
  }

  add(chunk: Buffer): void {
    this.#recorder.add(chunk);
  }

  /** Resolves when the answer is stored and its last bytes may be sent. */
  finish(lastBytes?: Buffer): Promise<void> {
    if (lastBytes) this.#recorder.add(lastBytes);
    return this.keep(this.#recorder.answer());
  }

  /** Stores an answer; without one the key becomes unrepeatable. */
  keep(answer: StoredAnswer | undefined): Promise<void> {
    const { store, clock } = this.#parts;
    return this.#settle(() => store.finish(this.#claim, answer, clock.now()));
  }

  /** The caller got a part of the answer: the request can be neither repeated nor replayed. */
  cut(): Promise<void> {
    return this.keep(undefined);
  }

  /** The request was not sent, or may be retried. */
  free(): Promise<void> {
    return this.#settle(() => this.#parts.store.free(this.#claim));
  }

  #settle(write: () => Promise<void>): Promise<void> {
    this.#settled ??= write().catch((cause: unknown) => this.#logFailure(cause));
    return this.#settled;
  }

  #logFailure(cause: unknown): void {
    this.#parts.log.write({
      level: 'warn',
      type: 'error',
      message: 'the answer to a request with an idempotency key could not be stored',
      requestId: this.#claim.requestId,
      metadata: { reason: cause instanceof Error ? cause.message : 'unknown' },
    });
  }
}

async function claimed(
  store: IdempotencyStore,
  claim: IdempotencyClaim,
  now: number,
): Promise<ClaimOutcome> {
  try {
    return await store.claim(claim, now);
  } catch (cause) {
    // The claim may have been written although the store failed; freeing it needs no answer.
    void store.free(claim).catch(() => {});
    throw new SpillwayError('CAPACITY_EXHAUSTED', 'idempotency store unavailable', {
      retryAfterMs: STORE_RETRY_AFTER_MS,
      cause,
    });
  }
}

const STORE_RETRY_AFTER_MS = 2000;
/** Most requests end long before their deadline, so the caller is asked to retry earlier. */
const MAX_RUNNING_RETRY_MS = 2000;

function storedOrRefused(outcome: ClaimOutcome, now: number): StoredAnswer | undefined {
  switch (outcome.kind) {
    case 'claimed':
      return undefined;
    case 'finished':
      return outcome.answer;
    case 'running':
      throw new SpillwayError('CONFLICT', 'the request with this key is running', {
        retryAfterMs: Math.min(Math.max(outcome.until - now, 1), MAX_RUNNING_RETRY_MS),
      });
    case 'unrepeatable':
      throw new SpillwayError('CONFLICT', 'the answer under this key was not kept', {
        retryable: false,
      });
    case 'other_payload':
      throw new SpillwayError('UNPROCESSABLE', 'this key belongs to another request');
  }
}

// A request that must not be made twice: its key is claimed before anything else, and its answer is kept before the
// caller has the last byte of it. A store that is away refuses new keys (nobody could tell whether the request was
// made already); once a call is made its caller gets the answer, kept or not.
//
// States of a claim here: open → kept | unrepeatable | freed. The first one wins, what comes after is ignored.

import type {
  ClaimOutcome,
  IdempotencyClaim,
  IdempotencyStore,
  KeptAnswer,
} from '../../admission/idempotency-store.ts';
import { replayHeaders, toKeptAnswer } from '../../admission/kept-answer.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import { headerPairs } from './header-pairs.ts';
import type { Reply } from './reply.ts';

/** The answer that was kept, or undefined when the request is ours to make. Rejects with a SpillwayError. */
export async function claimCall(
  store: IdempotencyStore,
  claim: IdempotencyClaim,
  now: number,
): Promise<KeptAnswer | undefined> {
  return keptOrRefused(await claimed(store, claim, now), now);
}

/** Gives a kept answer again, at once and whole, a stream's too. */
export function replayAnswer(reply: Reply, answer: KeptAnswer, own: readonly string[]): void {
  reply.begin(answer.status, [...Object.entries(replayHeaders(answer)).flat(), ...own]);
  reply.end(answer.body);
}

/** Whether a failure is the request's outcome, rather than something to be tried again with the same key. */
export function isFinal(error: SpillwayError): boolean {
  // A usage limit is not for a machine to retry, but for its caller to come back to, and then to be served.
  return !error.retryable && error.code !== 'AI_LIMIT_REACHED';
}

export type KeeperParts = {
  readonly store: IdempotencyStore;
  readonly clock: Clock;
  readonly log: Log;
};

/** Gathers the answer to a claimed request and settles the claim. No method of it ever rejects. */
export class AnswerKeeper {
  readonly #parts: KeeperParts;
  readonly #claim: IdempotencyClaim;
  readonly #body = new GatheredBytes();
  #status = 0;
  #headers: readonly string[] = [];
  #settled: Promise<void> | undefined;

  constructor(parts: KeeperParts, claim: IdempotencyClaim) {
    this.#parts = parts;
    this.#claim = claim;
  }

  /** Status and headers (names and values in turn), as they go to the caller. */
  begin(status: number, headers: readonly string[]): void {
    this.#status = status;
    this.#headers = headers;
  }

  add(chunk: Buffer): void {
    this.#body.add(chunk);
  }

  /** All but the last bytes have been sent: resolves when they may go, too. */
  finish(lastBytes?: Buffer): Promise<void> {
    if (lastBytes) this.#body.add(lastBytes);
    const body = this.#body.take();
    return this.keep(body && toKeptAnswer(this.#status, headerPairs(this.#headers), body));
  }

  /** Keeps an answer that was made elsewhere; without one the key is used up. */
  keep(answer: KeptAnswer | undefined): Promise<void> {
    const { store, clock } = this.#parts;
    return this.#settle(() => store.finish(this.#claim, answer, clock.now()));
  }

  /** The caller has had some of it and can have no more: it can be neither repeated nor given again. */
  cut(): Promise<void> {
    return this.keep(undefined);
  }

  /** The request was not made, or may be made again. */
  free(): Promise<void> {
    return this.#settle(() => this.#parts.store.free(this.#claim));
  }

  #settle(write: () => Promise<void>): Promise<void> {
    this.#settled ??= write().catch((cause: unknown) => this.#tell(cause));
    return this.#settled;
  }

  #tell(cause: unknown): void {
    this.#parts.log.write({
      level: 'warn',
      type: 'error',
      message: 'the answer to a request with an idempotency key could not be kept',
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
    // It may have been written all the same. Nobody waits for this: the caller is told either way.
    void store.free(claim).catch(() => {});
    throw new SpillwayError('CAPACITY_EXHAUSTED', 'idempotency keys cannot be claimed', {
      retryAfterMs: STORE_RETRY_AFTER_MS,
      cause,
    });
  }
}

const STORE_RETRY_AFTER_MS = 2000;
/** The first request will most often have ended long before its deadline. */
const LOOK_AGAIN_MS = 2000;

function keptOrRefused(outcome: ClaimOutcome, now: number): KeptAnswer | undefined {
  switch (outcome.kind) {
    case 'claimed':
      return undefined;
    case 'finished':
      return outcome.answer;
    case 'running':
      throw new SpillwayError('CONFLICT', 'the request with this key is running', {
        retryAfterMs: Math.min(Math.max(outcome.until - now, 1), LOOK_AGAIN_MS),
      });
    case 'unrepeatable':
      throw new SpillwayError('CONFLICT', 'the answer under this key was not kept', {
        retryable: false,
      });
    case 'other_payload':
      throw new SpillwayError('UNPROCESSABLE', 'this key belongs to another request');
  }
}

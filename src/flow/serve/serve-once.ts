// Serves a request with an `Idempotency-Key`: claims the key first and stores the answer before the caller gets its last
// byte. The request itself is served by the function that is passed in.
//
//   claiming ─▶ serving ─▶ kept, freed or unrepeatable
//      └─▶ the stored answer, or a refusal

import { fingerprintOf, readIdempotencyKey } from '../../admission/idempotency-key.ts';
import type { IdempotencyClaim } from '../../admission/idempotency-store.ts';
import { toSpillwayError } from '../../errors/spillway-error.ts';
import { namingHeaders } from './answer-headers.ts';
import {
  AnswerKeeper,
  claimCall,
  isFinal,
  type KeeperParts,
  replayAnswer,
} from './idempotent-call.ts';
import type { NativeRequest } from './native-request.ts';
import type { AnswerFailure, FailedRequest, Reply, Serve, ServedRequest } from './reply.ts';
import { DEGRADED_HEADER } from './serve-stale.ts';

export function serveOnce(
  parts: KeeperParts,
  request: NativeRequest,
  deadlineAt: number,
  to: { readonly reply: Reply; readonly answerFailure: AnswerFailure },
  serve: Serve,
): ServedRequest {
  const claim = claimOf(request, deadlineAt);
  const once = new OnceServed(parts, claim, to.reply, to.answerFailure, serve);
  claimCall(parts.store, claim, parts.clock.now()).then(
    (kept) => (kept ? replayAnswer(to.reply, kept, namingHeaders(request)) : once.claimed()),
    (error: unknown) => to.answerFailure(beforeCalling(error)),
  );
  return once;
}

function claimOf(request: NativeRequest, deadlineAt: number): IdempotencyClaim {
  const { principal, headers, url, body, id } = request;
  return {
    organizationId: principal.organizationId,
    key: readIdempotencyKey(headers) ?? '',
    fingerprint: fingerprintOf('POST', url, body),
    requestId: id,
    deadlineAt,
  };
}

function beforeCalling(thrown: unknown): FailedRequest {
  return { error: toSpillwayError(thrown), isBegun: false, wasCalled: false };
}

class OnceServed implements ServedRequest, Reply {
  readonly #reply: Reply;
  readonly #answerFailure: AnswerFailure;
  readonly #serve: Serve;
  readonly #keeper: AnswerKeeper;
  #served: ServedRequest | undefined;
  #isBegun = false;
  #isDegraded = false;
  #isGone = false;

  constructor(
    parts: KeeperParts,
    claim: IdempotencyClaim,
    reply: Reply,
    answerFailure: AnswerFailure,
    serve: Serve,
  ) {
    this.#reply = reply;
    this.#answerFailure = answerFailure;
    this.#serve = serve;
    this.#keeper = new AnswerKeeper(parts, claim);
  }

  claimed(): void {
    if (this.#isGone) return void this.#keeper.free();
    try {
      this.#served = this.#serve(this, (failure) => this.#failed(failure));
    } catch (thrown) {
      this.#failed(beforeCalling(thrown));
    }
  }

  begin(status: number, headers: string[]): void {
    this.#isBegun = true;
    this.#isDegraded = headers.includes(DEGRADED_HEADER);
    this.#keeper.begin(status, headers);
    this.#reply.begin(status, headers);
  }

  write(chunk: Buffer): boolean {
    this.#keeper.add(chunk);
    return this.#reply.write(chunk);
  }

  end(chunk?: Buffer | string): void {
    const last = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    // A stale answer stands for a retryable failure, so the key is freed.
    const settled = this.#isDegraded ? this.#keeper.free() : this.#keeper.finish(last);
    void settled.then(() => this.#reply.end(last));
  }

  drained(): void {
    this.#served?.drained();
  }

  /** An answer that has begun cannot be replayed; otherwise the request may be sent again. */
  gone(): void {
    this.#isGone = true;
    this.#served?.gone();
    if (this.#served) void (this.#isBegun ? this.#keeper.cut() : this.#keeper.free());
  }

  #failed(failure: FailedRequest): void {
    const { error, isBegun, wasCalled } = failure;
    const isKept = isBegun || (wasCalled && isFinal(error));
    this.#answerFailure({
      ...failure,
      beforeSend: (answer) => (isKept ? this.#keeper.keep(answer) : this.#keeper.free()),
    });
  }
}

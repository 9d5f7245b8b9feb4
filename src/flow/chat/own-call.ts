// A model call that the gateway makes for a chat request, through the same path as a request at an AI endpoint: limits,
// budgets, fallbacks, stale answers, queueing and forwarding apply as they do there. The answer is collected whole.

import { toSpillwayError } from '../../errors/spillway-error.ts';
import { headerPairs } from '../serve/answer-headers.ts';
import type { NativeRequest } from '../serve/native-request.ts';
import type { FailedRequest, ServedRequest } from '../serve/reply.ts';
import { type ServeCallParts, serveCall } from '../serve/serve-call.ts';

export type OwnAnswer = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
};

export type OwnOutcome =
  | { readonly kind: 'answered'; readonly answer: OwnAnswer }
  | { readonly kind: 'failed'; readonly failure: FailedRequest };

/** Never rejects, except with the signal's reason: the caller left. */
export function makeOwnCall(
  parts: ServeCallParts,
  request: NativeRequest,
  signal: AbortSignal,
): Promise<OwnOutcome> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    let served: ServedRequest | undefined;
    const onAbort = (): void => {
      served?.gone();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const finish = (outcome: OwnOutcome): void => {
      signal.removeEventListener('abort', onAbort);
      resolve(outcome);
    };
    const collected = new CollectedReply((answer) => finish({ kind: 'answered', answer }));
    const failed = (failure: FailedRequest): void => finish({ kind: 'failed', failure });
    try {
      served = serveCall(parts, request, collected, failed);
    } catch (thrown) {
      failed({ error: toSpillwayError(thrown), isBegun: false, wasCalled: false });
    }
  });
}

class CollectedReply {
  readonly #onEnd: (answer: OwnAnswer) => void;
  readonly #chunks: Buffer[] = [];
  #status = 0;
  #headers: ReadonlyMap<string, string> = new Map();

  constructor(onEnd: (answer: OwnAnswer) => void) {
    this.#onEnd = onEnd;
  }

  begin(status: number, headers: string[]): void {
    this.#status = status;
    this.#headers = new Map(headerPairs(headers));
  }

  write(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    return true;
  }

  end(chunk?: Buffer | string): void {
    if (chunk !== undefined) this.#chunks.push(Buffer.from(chunk));
    const body = Buffer.concat(this.#chunks);
    this.#onEnd({ status: this.#status, headers: this.#headers, body });
  }
}

// One forwarded request at one server. A unary answer is collected, so that a server that dies in its middle has answered
// nothing and the next one is tried; a stream is relayed as it arrives. The exchange has one outcome: `relayed` when the
// caller gets this server's answer, `failed` when nothing of it was sent. After `relayed` a stream may still break.

import type {
  Upstream,
  UpstreamCall,
  UpstreamHeaders,
  UpstreamListener,
  UpstreamRequest,
} from '../../upstream/upstream.ts';
import type { Reply } from '../serve/reply.ts';

export type ForwardOutcome =
  | { readonly kind: 'relayed'; readonly status: number }
  | { readonly kind: 'failed'; readonly reason: string };

export type ForwardExchangeListener = {
  onOutcome(outcome: ForwardOutcome): void;
  /** The stream broke after content was sent. */
  onBroken(reason: string): void;
  /** The caller has the last byte. */
  onEnd(): void;
};

/** Which answers of another server are the caller's answer, and which of its headers the caller gets. */
export type RelayTerms = {
  accepts(status: number, headers: UpstreamHeaders): boolean;
  relays(name: string): boolean;
};

/** Statuses that every server would answer alike, because the request itself is at fault. */
const CALLERS_FAULT: ReadonlySet<number> = new Set([400, 402, 403, 404, 413, 422]);

/** Headers that the serving server has made for the caller. */
const RELAYED =
  /^(content-type|content-length|cache-control|request-id|retry-after(-ms)?|x-(request|correlation)-id|x-should-retry|x-(spillway|ratelimit)-.+)$/;

const CALL_TERMS: RelayTerms = {
  accepts: (status) => status === 200 || CALLERS_FAULT.has(status),
  relays: (name) => RELAYED.test(name),
};

/**
 * Set by a server when a route of its application takes the request: an answer without it does not come from the route.
 */
export const TAKEN_HEADER = 'x-spillway-own-route';

const OF_ONE_CONNECTION =
  /^(connection|keep-alive|proxy-.+|te|trailer|transfer-encoding|upgrade|x-spillway-own-route)$/;

/** A route of the application may answer with any status; its handler has then run and must not run again. */
const OWN_TERMS: RelayTerms = {
  accepts: (_status, headers) => headers[TAKEN_HEADER] !== undefined,
  relays: (name) => !OF_ONE_CONNECTION.test(name),
};

export class ForwardExchange implements UpstreamListener {
  readonly #reply: Reply;
  readonly #listener: ForwardExchangeListener;
  readonly #terms: RelayTerms;
  readonly #chunks: Buffer[] = [];
  #call: UpstreamCall | undefined;
  #status = 0;
  #headers: UpstreamHeaders = {};
  #isUnary = false;
  #isRelaying = false;
  #isEnded = false;

  /** `isOwn`: of a route of the application. */
  constructor(reply: Reply, listener: ForwardExchangeListener, isOwn: boolean) {
    this.#reply = reply;
    this.#listener = listener;
    this.#terms = isOwn ? OWN_TERMS : CALL_TERMS;
  }

  start(upstream: Upstream, request: UpstreamRequest): void {
    this.#call = upstream.send(request, this);
  }

  /** Ends the exchange; the listener is not called again. */
  cancel(): void {
    this.#isEnded = true;
    this.#call?.abort(new Error('the caller has left'));
  }

  /** The server is considered dead. */
  giveUp(reason: string): void {
    this.onFailure(new Error(reason));
    this.#call?.abort(new Error(reason));
  }

  drained(): void {
    this.#call?.resume();
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    this.#status = status;
    this.#headers = headers;
    this.#isUnary = headers['content-length'] !== undefined;
    if (this.#terms.accepts(status, headers)) return;
    this.giveUp(`it answered ${status}`);
  }

  onData(chunk: Buffer): void {
    if (this.#isEnded) return;
    if (this.#isUnary) return void this.#chunks.push(chunk);
    this.#begin();
    if (!this.#reply.write(chunk)) this.#call?.pause();
  }

  onEnd(): void {
    if (this.#isEnded) return;
    this.#begin();
    this.#isEnded = true;
    this.#reply.end(this.#isUnary ? Buffer.concat(this.#chunks) : undefined);
    this.#listener.onEnd();
  }

  onFailure(error: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#isRelaying) this.#listener.onBroken(error.message);
    else this.#listener.onOutcome({ kind: 'failed', reason: error.message });
  }

  #begin(): void {
    if (this.#isRelaying) return;
    this.#isRelaying = true;
    this.#reply.begin(this.#status, relayedHeaders(this.#headers, this.#terms));
    this.#listener.onOutcome({ kind: 'relayed', status: this.#status });
  }
}

function relayedHeaders(headers: UpstreamHeaders, terms: RelayTerms): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || !terms.relays(name)) return [];
    return typeof value === 'string' ? [name, value] : value.flatMap((each) => [name, each]);
  });
}

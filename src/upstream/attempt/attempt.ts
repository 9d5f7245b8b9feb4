// One call to one target, from the sent request to its one ending. It reads the provider's answer as its
// format demands and keeps the clocks; it knows nothing of callers, retries or money.
//
// States: calling → collecting (unary)            → ended
//                 → streaming (relayed events)    → ended
//                 → refused (an error status)     → ended
// A refusal stands with its status: what it says besides is read for a moment and up to a size, and may as well be cut.
// The listener hears of exactly one ending. Only whole events of a stream are handed on, so that an error
// event of the provider can always be kept back.

import { judgeProviderError } from '../../errors/map-provider-error.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { Usage } from '../../kernel/usage.ts';
import type { Ticket, Watch, Watched } from '../../kernel/watch.ts';
import { readUsage } from '../streams/usage-reader.ts';
import type { Upstream, UpstreamCall, UpstreamHeaders, UpstreamListener } from '../upstream.ts';
import { type AttemptTimeouts, type ClockPhase, overduePhase } from './attempt-clocks.ts';
import { contentTypeOf } from './content-type.ts';
import { isRefusedAnswer, isRefusedStream, tellsError } from './refused-answer.ts';
import { StreamAnswer, type StreamStep } from './stream-answer.ts';
import { isAnswer } from './whole-answer.ts';

export type AttemptTarget = {
  readonly provider: string;
  readonly account: string;
  readonly region: string;
  readonly model: string;
  readonly format: ProviderFormat;
  readonly origin: string;
};

export type AttemptCall = {
  readonly target: AttemptTarget;
  readonly isStream: boolean;
  /** Reasoning models think before they speak and are given longer. */
  readonly isReasoning: boolean;
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer;
  /** `clock.monotonic()` when the request it belongs to must have ended; else the total clock begins here. */
  readonly deadlineAtMs?: number | undefined;
};

export type AttemptListener = {
  /** The ending of a unary call that went well; `usage` is what the answer says was used, if it says so. */
  onAnswer(body: Buffer, contentType: string, usage: Usage | undefined): void;
  /** Whole events of a stream, from its first content on; return false to slow the provider down. */
  onEvents(bytes: Buffer, contentType: string): boolean;
  /** The ending of a stream that went well, with its last events. */
  onComplete(lastBytes: Buffer, contentType: string): void;
  onFailed(error: SpillwayError): void;
};

export type AttemptParts = {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly watch: Watch;
  readonly timeouts: AttemptTimeouts;
  readonly maxAnswerBytes: number;
  /** Told what a provider says besides its answer, such as what is left of its limits. */
  readonly onHealthy?: (target: AttemptTarget, headers: UpstreamHeaders) => void;
  readonly maxHeldBytes: number;
};

/** What is kept of a failure; the mapper reads no more. */
const KEPT_FAILURE_BYTES = 8 * 1024;
/** How long what a refusal says is waited for. */
const REFUSAL_MS = 3000;

type State = 'calling' | 'collecting' | 'streaming' | 'refused' | 'ended';

export class Attempt implements UpstreamListener, Watched {
  readonly #parts: AttemptParts;
  readonly #call: AttemptCall;
  readonly #listener: AttemptListener;
  readonly #startedAtMs: number;
  #state: State = 'calling';
  #ticket: Ticket | undefined;
  #upstreamCall: UpstreamCall | undefined;
  #status = 0;
  #headers: UpstreamHeaders = {};
  #chunks: Buffer[] = [];
  #size = 0;
  #stream: StreamAnswer | undefined;
  #isBegun = false;
  #isPaused = false;
  #lastContentAtMs: number | undefined;
  #refusedAtMs = 0;

  constructor(parts: AttemptParts, call: AttemptCall, listener: AttemptListener) {
    this.#parts = parts;
    this.#call = call;
    this.#listener = listener;
    this.#startedAtMs = parts.clock.monotonic();
  }

  start(): void {
    const { target, path, headers, body } = this.#call;
    this.#ticket = this.#parts.watch.join(this);
    this.#upstreamCall = this.#parts.upstream.send(
      { origin: target.origin, path, method: 'POST', headers, body },
      this,
    );
  }

  /** Ends the call without telling the listener: whoever aborts knows why. */
  abort(reason: Error): void {
    if (this.#end()) this.#upstreamCall?.abort(reason);
  }

  /** The listener can take more events again. */
  resume(): void {
    this.#isPaused = false;
    if (this.#lastContentAtMs !== undefined) this.#lastContentAtMs = this.#parts.clock.monotonic();
    this.#upstreamCall?.resume();
  }

  /** What the stream has said was used, as far as it has said so. */
  streamUsage(): Usage | undefined {
    return this.#stream?.usage();
  }

  streamedBytes(): number {
    return this.#stream?.outputBytes() ?? 0;
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    if (this.#state !== 'calling') return;
    this.#status = status;
    this.#headers = headers;
    if (status >= 300) {
      this.#state = 'refused';
      this.#refusedAtMs = this.#parts.clock.monotonic();
      return;
    }
    this.#parts.onHealthy?.(this.#call.target, headers);
    if (this.#call.isStream) this.#beginStream();
    else this.#state = 'collecting';
  }

  onData(chunk: Buffer): void {
    if (this.#state === 'streaming' && this.#stream) this.#read(this.#stream, chunk);
    else if (this.#state === 'collecting') this.#collect(chunk);
    else if (this.#state === 'refused') this.#hear(chunk);
  }

  onEnd(): void {
    if (this.#state === 'streaming' && this.#stream) this.#step(this.#stream.end());
    else if (this.#state === 'collecting') this.#answer();
    else if (this.#state === 'refused') this.#refuse();
  }

  onFailure(error: Error): void {
    if (this.#state === 'refused') return this.#refuse();
    this.#fail(error, 'the connection to the provider failed');
  }

  check(nowMs: number): void {
    const phase = this.#overdue(nowMs);
    if (this.#state === 'refused') {
      if (phase || nowMs - this.#refusedAtMs > REFUSAL_MS) this.#refuse();
      return;
    }
    if (phase) return this.#endWith(timedOut(phase));
    const isHeldEnough = nowMs - this.#startedAtMs > this.#parts.timeouts.holdStatusMs;
    if (this.#stream && !this.#isBegun && isHeldEnough) this.#relay(this.#stream.release());
  }

  #overdue(nowMs: number): ClockPhase | undefined {
    const { isStream, isReasoning, deadlineAtMs } = this.#call;
    const progress = {
      startedAtMs: this.#startedAtMs,
      deadlineAtMs,
      isStream,
      isReasoning,
      isBegun: this.#state !== 'calling',
      lastContentAtMs: this.#lastContentAtMs,
      isPaused: this.#isPaused,
    };
    return overduePhase(this.#parts.timeouts, progress, nowMs);
  }

  #beginStream(): void {
    this.#state = 'streaming';
    this.#stream = new StreamAnswer(this.#call.target.format, this.#parts.maxHeldBytes);
  }

  #read(stream: StreamAnswer, chunk: Buffer): void {
    const step = stream.take(chunk);
    if (stream.broughtContent) this.#lastContentAtMs = this.#parts.clock.monotonic();
    this.#step(step);
  }

  #step(step: StreamStep): void {
    switch (step.kind) {
      case 'wait':
        return;
      case 'relay':
        return this.#relay(step.bytes);
      case 'complete':
        return this.#complete(step.bytes);
      case 'error':
        return this.#fail({ body: step.raw }, 'the provider ended the stream with an error');
      case 'broken':
        return this.#breakOff(step.held);
    }
  }

  #complete(lastBytes: Buffer): void {
    if (!this.#stream?.hasContent && isRefusedStream(lastBytes))
      return this.#fail({ body: lastBytes }, 'the provider refused within its stream');
    if (this.#end()) this.#listener.onComplete(lastBytes, contentTypeOf(this.#headers));
  }

  /** Some answer a request for a stream with a plain error and a good status. */
  #breakOff(held: Buffer): void {
    if (this.#stream?.hasContent || !tellsError(held))
      return this.#endWith(lost('the stream ended in the middle'));
    this.#keep(held);
    this.#refuse();
  }

  #relay(bytes: Buffer): void {
    this.#isBegun = true;
    if (this.#listener.onEvents(bytes, contentTypeOf(this.#headers))) return;
    this.#isPaused = true;
    this.#upstreamCall?.pause();
  }

  #hear(chunk: Buffer): void {
    this.#keep(chunk);
    if (this.#size >= KEPT_FAILURE_BYTES) this.#refuse();
  }

  #collect(chunk: Buffer): void {
    this.#keep(chunk);
    if (this.#size > this.#parts.maxAnswerBytes) this.#endWith(lost('the answer is too large'));
  }

  #keep(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  #answer(): void {
    const body = this.#kept();
    const { format } = this.#call.target;
    const usage = readUsage(format, body);
    // A status of 200 is no success when a proxy's page, half an answer or a mere refusal comes with it.
    if (!isAnswer(format, body, usage) || isRefusedAnswer(format, body, usage)) {
      return this.#refuse();
    }
    if (this.#end()) this.#listener.onAnswer(body, contentTypeOf(this.#headers), usage);
  }

  #refuse(): void {
    const body = this.#kept().toString('utf8', 0, KEPT_FAILURE_BYTES);
    const failure = { status: this.#status, headers: this.#headers, body };
    this.#fail(failure, `the provider answered ${this.#status}`);
  }

  #kept(): Buffer {
    const [only] = this.#chunks;
    return this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks, this.#size);
  }

  #fail(failure: unknown, message: string): void {
    const { provider, model } = this.#call.target;
    const context = { provider, model, now: this.#parts.clock.now() };
    const { verdict, isModelBound } = judgeProviderError(failure, context);
    const { code } = verdict;
    this.#endWith(new SpillwayError(code, message, { ...verdict, isModelBound, cause: failure }));
  }

  #endWith(error: SpillwayError): void {
    if (!this.#end()) return;
    this.#upstreamCall?.abort(error);
    this.#listener.onFailed(error);
  }

  /** True for the one caller who ends it. */
  #end(): boolean {
    if (this.#state === 'ended') return false;
    this.#state = 'ended';
    if (this.#ticket !== undefined) this.#parts.watch.leave(this.#ticket);
    return true;
  }
}

function timedOut(phase: ClockPhase): SpillwayError {
  return new SpillwayError('NETWORK_TIMEOUT', `the ${phase} clock ran out`, { params: { phase } });
}

function lost(why: string): SpillwayError {
  return new SpillwayError('NETWORK_TIMEOUT', why, { params: { phase: 'lost' } });
}

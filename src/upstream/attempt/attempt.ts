// One call of one target, from the sent request to its single outcome. The attempt reads the response in its format and
// enforces the clocks; it knows nothing of callers, retries or money.
//
// States: calling → collecting (unary)            → ended
//                 → streaming (relayed events)    → ended
//                 → refused (an error status)     → ended
// The status alone makes a refusal; its body is read up to a size and a time, and may be cut. The listener gets exactly
// one outcome. A stream is relayed in whole events, so that the provider's error event never reaches the caller.

import { judgeProviderError } from '../../errors/map-provider-error.ts';
import { SpillwayError } from '../../errors/spillway-error.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { Usage } from '../../kernel/usage.ts';
import type { Ticket, Watch, Watched } from '../../kernel/watch.ts';
import type { Upstream, UpstreamCall, UpstreamHeaders, UpstreamListener } from '../upstream.ts';
import { type AttemptTimeouts, type ClockPhase, overduePhase } from './attempt-clocks.ts';
import { contentTypeOf } from './headers.ts';
import { readUsage } from './read-usage.ts';
import { containsError, isRefusedAnswer, isRefusedStream } from './refused-answer.ts';
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
  /** Reasoning models take longer to their first content and have longer clocks. */
  readonly isReasoning: boolean;
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer;
  /** The gateway asked for the usage of a stream, and the caller did not: its event is not relayed. */
  readonly removesUsageEvent?: boolean;
  /** The request's deadline on `clock.monotonic()`; without one the total clock starts with the attempt. */
  readonly deadlineAtMs?: number | undefined;
};

export type AttemptListener = {
  /** A unary call succeeded; `usage` is undefined when the response reports none. */
  onAnswer(body: Buffer, contentType: string, usage: Usage | undefined): void;
  /** Whole events of a stream, from its first content on; return false to pause the provider. */
  onEvents(bytes: Buffer, contentType: string): boolean;
  /** A stream ended cleanly; `lastBytes` are its last events. */
  onComplete(lastBytes: Buffer, contentType: string): void;
  onFailed(error: SpillwayError): void;
};

export type AttemptParts = {
  readonly upstream: Upstream;
  readonly clock: Clock;
  readonly watch: Watch;
  readonly timeouts: AttemptTimeouts;
  readonly maxAnswerBytes: number;
  /** Called with the headers of every successful response: they report the headroom of the provider's limits. */
  readonly onHealthy?: (target: AttemptTarget, headers: UpstreamHeaders) => void;
  readonly maxHeldBytes: number;
};

/** The error mapper reads at most this much of a refusal's body. */
const MAX_REFUSAL_BYTES = 8 * 1024;
const MAX_REFUSAL_MS = 3000;

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

  /** Ends the attempt without calling the listener. */
  abort(reason: Error): void {
    if (this.#end()) this.#upstreamCall?.abort(reason);
  }

  /** The listener accepts events again after a pause. */
  resume(): void {
    this.#isPaused = false;
    if (this.#lastContentAtMs !== undefined) this.#lastContentAtMs = this.#parts.clock.monotonic();
    this.#upstreamCall?.resume();
  }

  /** The usage that the stream has reported so far. */
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
    else if (this.#state === 'refused') this.#collectRefusal(chunk);
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
      if (phase || nowMs - this.#refusedAtMs > MAX_REFUSAL_MS) this.#refuse();
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
    const { target, removesUsageEvent } = this.#call;
    this.#stream = new StreamAnswer(target.format, this.#parts.maxHeldBytes, removesUsageEvent);
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

  /** Some providers answer a streaming request with status 200 and a plain JSON error. */
  #breakOff(held: Buffer): void {
    if (this.#stream?.hasContent || !containsError(held))
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

  #collectRefusal(chunk: Buffer): void {
    this.#keep(chunk);
    if (this.#size >= MAX_REFUSAL_BYTES) this.#refuse();
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
    // Status 200 with a proxy's page, a cut response or a bare refusal is a failure.
    if (!isAnswer(format, body, usage) || isRefusedAnswer(format, body, usage)) {
      return this.#refuse();
    }
    if (this.#end()) this.#listener.onAnswer(body, contentTypeOf(this.#headers), usage);
  }

  #refuse(): void {
    const body = this.#kept().toString('utf8', 0, MAX_REFUSAL_BYTES);
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

  /** True for the first call only: the caller that gets true reports the outcome. */
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

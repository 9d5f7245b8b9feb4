// One call of one target, from the sent request to its single outcome. The attempt reads the response in its format and
// enforces the clocks; it knows nothing of callers, retries or money.
//
// States: calling → collecting (unary)            → ended
//                 → streaming (relayed events)    → ended
//                 → refused (an error status)     → ended
// After `leave`, when the caller no longer waits, the stream is still read for its usage. A unary call is aborted at
// once, because its usage comes with the whole answer. The status alone makes a refusal; its body is read up to a size
// and a time, and may be cut. The listener gets exactly one outcome. A stream is relayed in whole events, so that the
// provider's error event never reaches the caller.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { MeteredUsage } from '../../kernel/usage.ts';
import type { Ticket, Watched } from '../../kernel/watch.ts';
import type { BytePieces } from '../byte-pieces.ts';
import { containsError, errorIn } from '../json/error-member.ts';
import type { UpstreamCall, UpstreamHeaders, UpstreamListener } from '../upstream.ts';
import { beginPieces, tooManyAnswers, UNCOUNTED_BYTES } from './answer-bytes.ts';
import type { AttemptCall, AttemptListener, AttemptParts } from './attempt-call.ts';
import { type ClockPhase, isReportDue, overduePhase } from './attempt-clocks.ts';
import { isRefusal, judge, lost, MAX_REFUSAL, timedOut } from './attempt-failure.ts';
import { contentTypeOf } from './headers.ts';
import { type LeftOutcome, usageListener } from './leave-attempt.ts';
import { readUsage } from './read-usage.ts';
import { isRefusedAnswer, isRefusedStream } from './refused-answer.ts';
import { isLongContext } from './request-facts.ts';
import { StreamAnswer, type StreamStep } from './stream-answer.ts';
import { isAnswer } from './whole-answer.ts';

type State = 'calling' | 'collecting' | 'streaming' | 'refused' | 'ended';

export class Attempt implements UpstreamListener, Watched {
  readonly #parts: AttemptParts;
  readonly #call: AttemptCall;
  #listener: AttemptListener;
  readonly #startedAtMs: number;
  #state: State = 'calling';
  #ticket: Ticket | undefined;
  #upstreamCall: UpstreamCall | undefined;
  #status = 0;
  #headers: UpstreamHeaders = {};
  #only: Buffer | undefined;
  #pieces: BytePieces | undefined;
  #size = 0;
  #countedBytes = 0;
  #stream: StreamAnswer | undefined;
  #isBegun = false;
  #pausedAtMs: number | undefined;
  #lastContentAtMs: number | undefined;
  #refusedAtMs = 0;
  /** The caller no longer waits; the call is read for its usage until then. */
  #leavesAtMs: number | undefined;
  /** Of a unary answer with status 200 that is a refusal or a failure. */
  #failedUsage: MeteredUsage | undefined;

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

  /**
   * The caller no longer waits. Calls no listener method, and `onLeft` once: at once, or for a stream when it has ended,
   * at the latest after `usageMs`.
   */
  leave(reason: Error, onLeft: (outcome: LeftOutcome) => void): void {
    if (this.#state === 'refused') {
      this.abort(reason);
      return onLeft({ kind: 'refused' });
    }
    const { usageMs = 0 } = this.#parts.timeouts;
    if (!this.#call.isStream || usageMs === 0 || this.#state === 'ended') {
      this.abort(reason);
      return onLeft({ kind: 'unknown' });
    }
    this.#leavesAtMs = this.#parts.clock.monotonic() + usageMs;
    this.#listener = usageListener(() => this.reportedUsage(), onLeft);
    if (this.#pausedAtMs !== undefined) this.resume();
  }

  /** Ends the attempt without calling the listener. */
  abort(reason: Error): void {
    if (this.#end()) this.#upstreamCall?.abort(reason);
  }

  /** The listener accepts events again after a pause. */
  resume(): void {
    this.#pausedAtMs = undefined;
    if (this.#lastContentAtMs !== undefined) this.#lastContentAtMs = this.#parts.clock.monotonic();
    this.#upstreamCall?.resume();
  }

  /** The usage that the stream has reported so far, or that a unary failure with status 200 reports. */
  reportedUsage(): MeteredUsage | undefined {
    return this.#stream?.usage() ?? this.#failedUsage;
  }

  /** Bytes of a unary response that have arrived. */
  receivedBytes(): number {
    return this.#call.isStream || this.#state === 'refused' ? 0 : this.#size;
  }

  streamedBytes(): number {
    return this.#stream?.outputBytes() ?? 0;
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    if (this.#state !== 'calling') return;
    this.#status = status;
    this.#headers = headers;
    if (isRefusal(status)) {
      this.#state = 'refused';
      this.#refusedAtMs = this.#parts.clock.monotonic();
      return;
    }
    if (!this.#call.isCountedApart && !isLongContext(this.#call))
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
    const isBrokenOff = this.#state === 'collecting' || this.#state === 'streaming';
    this.#fail(error, 'the connection to the provider failed', isBrokenOff);
  }

  check(nowMs: number, sinceMs: number): void {
    if (this.#leavesAtMs !== undefined) {
      if (nowMs > this.#leavesAtMs) this.#endWith(timedOut('total'));
      return;
    }
    if (isReportDue(nowMs - this.#startedAtMs, sinceMs)) this.#listener.onRunning?.();
    const phase = this.#overdue(nowMs);
    if (this.#state === 'refused') {
      if (phase || nowMs - this.#refusedAtMs > MAX_REFUSAL.ms) this.#refuse();
      return;
    }
    if (phase) return this.#expire(timedOut(phase));
    if (!this.#stream) return;
    const refusal = this.#stream.heldRefusal(nowMs);
    if (refusal) return this.#step(refusal);
    const isHeldEnough = nowMs - this.#startedAtMs > this.#parts.timeouts.holdStatusMs;
    if (!this.#isBegun && isHeldEnough) this.#relay(this.#stream.release());
  }

  #overdue(nowMs: number): ClockPhase | undefined {
    const { isStream, isReasoning, deadlineAtMs } = this.#call;
    const progress = {
      startedAtMs: this.#startedAtMs,
      deadlineAtMs,
      isStream,
      isReasoning,
      lastContentAtMs: this.#lastContentAtMs,
      pausedAtMs: this.#pausedAtMs,
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
    if (!this.#stream?.hasAnswer && isRefusedStream(lastBytes))
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
    this.#pausedAtMs = this.#parts.clock.monotonic();
    this.#upstreamCall?.pause();
  }

  #collectRefusal(chunk: Buffer): void {
    this.#keep(chunk);
    if (this.#size >= MAX_REFUSAL.bytes) this.#refuse();
  }

  #collect(chunk: Buffer): void {
    this.#keep(chunk);
    const { maxAnswerBytes, answerBytes } = this.#parts;
    if (this.#size > maxAnswerBytes) this.#endWith(lost('the answer is too large'));
    else if (this.#size <= UNCOUNTED_BYTES || !answerBytes) return;
    else if (answerBytes.take(chunk.length)) this.#countedBytes += chunk.length;
    else this.#endWith(tooManyAnswers());
  }

  #keep(chunk: Buffer): void {
    if (this.#size === 0) this.#only = chunk;
    else (this.#pieces ??= beginPieces(this.#kept(), this.#headers, this.#parts)).add(chunk);
    this.#size += chunk.length;
  }

  #answer(): void {
    const body = this.#kept();
    const { format } = this.#call.target;
    const usage = readUsage(format, body);
    // Status 200 with a proxy's page, a cut response or a bare refusal is a failure.
    const isWhole = isAnswer(format, body, usage);
    const error = isWhole || body.length > MAX_REFUSAL.bytes ? errorIn(body) : undefined;
    if (!error && isWhole && !isRefusedAnswer(format, body)) {
      if (this.#end()) this.#listener.onAnswer(body, contentTypeOf(this.#headers), usage);
      return;
    }
    this.#failedUsage = usage;
    this.#refuse(error);
  }

  #refuse(bytes = this.#kept()): void {
    const body = bytes.toString('utf8', 0, MAX_REFUSAL.bytes);
    const failure = { status: this.#status, headers: this.#headers, body };
    this.#fail(failure, `the provider answered ${this.#status}`);
  }

  #kept(): Buffer {
    return this.#pieces?.joined() ?? this.#only ?? Buffer.alloc(0);
  }

  #fail(failure: unknown, message: string, isBrokenOff = false): void {
    const judged = { status: this.#status, now: this.#parts.clock.now(), isBrokenOff };
    this.#endWith(judge(this.#call, failure, message, judged));
  }

  /** The provider continues, so the listener may still read the stream for its usage: `leave`. */
  #expire(error: SpillwayError): void {
    this.#listener.onFailed(error);
    if (this.#leavesAtMs === undefined) this.abort(error);
  }

  #endWith(error: SpillwayError): void {
    if (!this.#end()) return;
    this.#upstreamCall?.abort(error);
    this.#listener.onFailed(error);
  }

  /** True only for the first call, which reports the outcome. */
  #end(): boolean {
    if (this.#state === 'ended') return false;
    this.#state = 'ended';
    if (this.#ticket !== undefined) this.#parts.watch.leave(this.#ticket);
    if (this.#countedBytes > 0) this.#parts.answerBytes?.giveBack(this.#countedBytes);
    return true;
  }
}

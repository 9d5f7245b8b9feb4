// One call of one target, from the sent request to its single outcome. The attempt reads the response in its format and
// enforces the clocks; it knows nothing of callers, retries or money.
//
// States: calling → collecting (unary)            → ended
//                 → streaming (relayed events)    → ended, or collecting (one JSON object in place of events)
//                 → refused (an error status)     → ended
// After `leave`, when the caller no longer waits, the stream is still read for its usage. A unary call is aborted at
// once, because its usage comes with the whole answer. The status alone makes a refusal; its body is read up to a size
// and a time, and may be cut. The listener gets exactly one outcome. A stream is relayed in whole events, so that the
// provider's error event never reaches the caller.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { MeteredUsage } from '../../kernel/usage.ts';
import type { Ticket, Watched } from '../../kernel/watch.ts';
import { UndecodableAnswer } from '../decoded-upstream.ts';
import { containsError } from '../json/error-member.ts';
import type { UpstreamCall, UpstreamHeaders, UpstreamListener } from '../upstream.ts';
import type { AttemptCall, AttemptListener, AttemptParts } from './attempt-call.ts';
import { type ClockPhase, isReportDue, overduePhase } from './attempt-clocks.ts';
import { isRefusal, judge, lost, MAX_REFUSAL, timedOut } from './attempt-failure.ts';
import { CollectedBody } from './collected-body.ts';
import { contentTypeOf } from './headers.ts';
import { isObjectStart, judgeAnswer, UNREAD_ANSWER, type UnusableAnswer } from './judge-answer.ts';
import { type LeftOutcome, usageListener } from './leave-attempt.ts';
import { isRefusedStream } from './refused-answer.ts';
import { isLongContext } from './request-facts.ts';
import { StreamAnswer, type StreamStep } from './stream-answer.ts';

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
  readonly #body: CollectedBody;
  #stream: StreamAnswer | undefined;
  #isBegun = false;
  #pausedAtMs: number | undefined;
  #lastContentAtMs: number | undefined;
  #refusedAtMs = 0;
  /** The caller no longer waits; the call is read for its usage until then. */
  #leavesAtMs: number | undefined;
  /** Of a unary answer with status 200 that is a refusal or a failure. */
  #failedUsage: MeteredUsage | undefined;
  #unusable: UnusableAnswer | undefined;

  constructor(parts: AttemptParts, call: AttemptCall, listener: AttemptListener) {
    this.#parts = parts;
    this.#body = new CollectedBody(parts);
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

  /** An answer that the provider charges for and that the caller cannot get. */
  unusableAnswer(): UnusableAnswer | undefined {
    return this.#unusable;
  }

  /** Bytes of a whole answer that have arrived. */
  receivedBytes(): number {
    return this.#stream || isRefusal(this.#status) ? 0 : this.#body.size;
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
    const { target, isStream, removesUsageEvent } = this.#call;
    this.#state = isStream ? 'streaming' : 'collecting';
    if (isStream)
      this.#stream = new StreamAnswer(target.format, this.#parts.maxHeldBytes, removesUsageEvent);
  }

  onData(chunk: Buffer): void {
    if (this.#state === 'streaming' && this.#stream) this.#readEvents(this.#stream, chunk);
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
    if (error instanceof UndecodableAnswer) return this.#loseAnswer(error);
    const isBrokenOff = this.#state === 'collecting' || this.#state === 'streaming';
    this.#fail(error, 'the connection to the provider failed', isBrokenOff);
  }

  /** The bytes that were decoded before count as those of a broken connection. */
  #loseAnswer({ message }: Error): void {
    const isRead = this.#body.size > 0 || this.#stream?.hasContent || this.#stream?.usage();
    if (!isRead) this.#unusable = UNREAD_ANSWER;
    this.#endWith(lost(message));
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

  #readEvents(stream: StreamAnswer, chunk: Buffer): void {
    if (stream.isBlank && isObjectStart(chunk)) {
      this.#stream = undefined;
      this.#state = 'collecting';
      return this.#collect(chunk);
    }
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
    this.#body.add(held, this.#headers);
    this.#refuse();
  }

  #relay(bytes: Buffer): void {
    this.#isBegun = true;
    if (this.#listener.onEvents(bytes, contentTypeOf(this.#headers))) return;
    this.#pausedAtMs = this.#parts.clock.monotonic();
    this.#upstreamCall?.pause();
  }

  #collectRefusal(chunk: Buffer): void {
    this.#body.add(chunk, this.#headers);
    if (this.#body.size >= MAX_REFUSAL.bytes) this.#refuse();
  }

  #collect(chunk: Buffer): void {
    const failure = this.#body.addAnswer(chunk, this.#headers);
    if (failure) this.#endWith(failure);
  }

  #answer(): void {
    const body = this.#body.joined();
    const judged = judgeAnswer(this.#call, body);
    switch (judged.kind) {
      case 'answer':
        if (this.#end()) this.#listener.onAnswer(body, contentTypeOf(this.#headers), judged.usage);
        return;
      case 'refused':
        this.#failedUsage = judged.usage;
        return this.#refuse(judged.error);
      case 'lost':
        this.#unusable = judged.unusable;
        return this.#endWith(judged.error);
    }
  }

  #refuse(bytes = this.#body.joined()): void {
    const body = bytes.toString('utf8', 0, MAX_REFUSAL.bytes);
    const failure = { status: this.#status, headers: this.#headers, body };
    this.#fail(failure, `the provider answered ${this.#status}`);
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
    this.#body.release();
    return true;
  }
}

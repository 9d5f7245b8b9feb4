// The listener of a call with targets of other wire formats, in front of the request's own: answers and events are in the
// caller's format, whichever target serves. An answer that cannot be translated is a failure of the provider.

import type { SpillwayError } from '../../errors/spillway-error.ts';
import type { UsageRecord } from '../../metering/usage/usage-record.ts';
import type { Target } from '../../routing/target.ts';
import { lost } from '../../upstream/attempt/attempt-failure.ts';
import type { ModelCallListener } from '../call/model-call-listener.ts';
import type { CallTranslation } from './call-translation.ts';
import type { StreamTranslator } from './stream-translator.ts';

export type TranslatedCallSource = {
  /** The target of the last attempt. */
  readonly target: Target | undefined;
  abandon(onSettled: (record: UsageRecord | undefined) => void): void;
};

const JSON_TYPE = 'application/json';

export class TranslatedListener implements ModelCallListener {
  readonly #inner: ModelCallListener;
  readonly #translation: CallTranslation;
  readonly #call: () => TranslatedCallSource;
  #stream: StreamTranslator | undefined;

  constructor(
    inner: ModelCallListener,
    translation: CallTranslation,
    call: () => TranslatedCallSource,
  ) {
    this.#inner = inner;
    this.#translation = translation;
    this.#call = call;
  }

  onAnswer(body: Buffer, contentType: string, record: UsageRecord): void {
    const target = this.#foreignTarget();
    if (!target) return this.#inner.onAnswer(body, contentType, record);
    let answer: Buffer;
    try {
      answer = this.#translation.answer(target, body);
    } catch (cause) {
      return this.#inner.onFailed(untranslatable(cause), record);
    }
    this.#inner.onAnswer(answer, JSON_TYPE, record);
  }

  onEvents(bytes: Buffer, contentType: string): boolean {
    const stream = this.#streamTranslator();
    if (!stream) return this.#inner.onEvents(bytes, contentType);
    try {
      const out = stream.push(bytes);
      return out.length === 0 || this.#inner.onEvents(out, stream.contentType);
    } catch (cause) {
      this.#call().abandon((record) => this.#inner.onFailed(untranslatable(cause), record));
      return true;
    }
  }

  onComplete(lastBytes: Buffer, contentType: string, record: UsageRecord): void {
    const stream = this.#streamTranslator();
    if (!stream) return this.#inner.onComplete(lastBytes, contentType, record);
    let out: Buffer;
    try {
      out = stream.end(lastBytes);
    } catch (cause) {
      return this.#inner.onFailed(untranslatable(cause), record);
    }
    this.#inner.onComplete(out, stream.contentType, record);
  }

  onFailed(error: SpillwayError, record: UsageRecord | undefined): void {
    this.#inner.onFailed(error, record);
  }

  onExpired(error: SpillwayError): void {
    this.#inner.onExpired?.(error);
  }

  #foreignTarget(): Target | undefined {
    const { target } = this.#call();
    return target && this.#translation.isNeededAt(target) ? target : undefined;
  }

  #streamTranslator(): StreamTranslator | undefined {
    const target = this.#stream ? undefined : this.#foreignTarget();
    if (target) this.#stream = this.#translation.stream(target);
    return this.#stream;
  }
}

function untranslatable(cause: unknown): SpillwayError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return lost(`the provider's answer cannot be translated: ${reason}`);
}

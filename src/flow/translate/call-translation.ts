// Translates one call for targets of another wire format than the caller's: the request on its way out, the answer or the
// stream on its way back. The caller's request is parsed once, and only if such a target is tried. A request that cannot be
// expressed at a target is refused before the target is called, naming the field; where the alias says so, the field is
// dropped and reported instead.

import { SpillwayError } from '../../errors/spillway-error.ts';
import type { OpenAiEndpoint, ProviderFormat } from '../../kernel/provider-format.ts';
import type { Target } from '../../routing/target.ts';
import { identifyAnswer } from '../../translation/answer-identity.ts';
import { type Dialect, TranslationProblem } from '../../translation/dialect.ts';
import { DIALECTS_BY_NAME } from '../../translation/dialects.ts';
import { checkArguments } from '../../translation/embedded-json.ts';
import { isObject } from '../../translation/fields.ts';
import { keepFirstText, keepWholeText } from '../../translation/kept-text.ts';
import { Losses, type LossMode, UntranslatableField } from '../../translation/losses.ts';
import type { DialectName, JsonObject, NeutralRequest } from '../../translation/neutral-request.ts';
import { knowsNewMaximum, knowsUsageOption } from '../../upstream/chat-fields.ts';
import { isArrayStream, type NativeRoute } from '../../upstream/native-route.ts';
import { invalidField } from '../call/request-refusal.ts';
import { StreamTranslator } from './stream-translator.ts';

export type TranslatedCall = {
  readonly route: NativeRoute;
  readonly body: Buffer;
  /** The model's name as the caller wrote it. */
  readonly requestedModel: string;
  readonly isStream: boolean;
  /** Chat Completions: the caller asked for the usage of a stream. */
  readonly includesUsage: boolean;
  readonly mode: LossMode;
  /** The largest output of a model, for formats that demand a maximum. */
  readonly maxOutputTokens: (model: string) => number;
  /** Epoch milliseconds, for formats that state when an answer was made. */
  readonly now: () => number;
  /** The id of an answer: the provider's own id would identify the provider. */
  readonly newAnswerId: () => string;
};

type Written = { readonly body: Buffer } | { readonly problem: SpillwayError };

export class CallTranslation {
  readonly #call: TranslatedCall;
  readonly #losses: Losses;
  readonly #written = new Map<string, Written>();
  #parsed: NeutralRequest | SpillwayError | undefined;

  constructor(call: TranslatedCall) {
    this.#call = call;
    this.#losses = new Losses(call.mode, this.#own.fieldNames);
  }

  /** The fields that were dropped, for a header of the answer. */
  get dropped(): readonly string[] {
    return this.#losses.dropped;
  }

  /** The caller's format. */
  get format(): ProviderFormat {
    return this.#call.route.format;
  }

  isNeededAt(target: Pick<Target, 'format' | 'onlyEndpoint'>): boolean {
    return isForeign(this.#call.route, target);
  }

  /** Why the request cannot be sent to this target; undefined if it can. */
  problemAt(target: Target): SpillwayError | undefined {
    if (!this.isNeededAt(target)) return undefined;
    const written = this.#write(target);
    return 'problem' in written ? written.problem : undefined;
  }

  /** Undefined for a target of the caller's format, which gets the caller's bytes. */
  bodyFor(target: Target): Buffer | undefined {
    if (!this.isNeededAt(target)) return undefined;
    const written = this.#write(target);
    if ('problem' in written) throw written.problem;
    return written.body;
  }

  /** The caller's bytes for a provider's answer. Throws if the answer does not have the provider's format. */
  answer(target: Target, body: Buffer): Buffer {
    const { requestedModel: model, now, newAnswerId } = this.#call;
    const read = dialectOf(target).readAnswer(objectOf(body));
    const answer = identifyAnswer({ ...read, model }, { id: newAnswerId(), createdAt: now() });
    return Buffer.from(JSON.stringify(this.#own.writeAnswer(answer)));
  }

  stream(target: Target): StreamTranslator {
    const { requestedModel: model, includesUsage, route, now, newAnswerId } = this.#call;
    const terms = { model, includesUsage, isArray: isArrayStream(route) };
    return new StreamTranslator(
      dialectOf(target).createStreamReader(this.#own.repeatsTexts ? keepWholeText : keepFirstText),
      this.#own.createStreamWriter(terms),
      { isArray: terms.isArray, id: newAnswerId(), createdAt: now() },
    );
  }

  get #own(): Dialect {
    const { route } = this.#call;
    const name = dialectOfRoute(route);
    if (!name) throw new Error(`${route.operation} is not translated`);
    return DIALECTS_BY_NAME[name];
  }

  #write(target: Target): Written {
    const { provider, format, model } = target;
    const key = [provider, format, endpointOf(target), model].join('\n');
    const known = this.#written.get(key) ?? this.#writeNew(target);
    this.#written.set(key, known);
    return known;
  }

  #writeNew(target: Target): Written {
    const { model } = target;
    const request = this.#read();
    if (request instanceof SpillwayError) return { problem: request };
    const chat = {
      knowsNewMaximum: knowsNewMaximum(target),
      knowsUsageOption: knowsUsageOption(target),
    };
    const terms = { maxOutputTokens: this.#call.maxOutputTokens(model), chat };
    try {
      const written = dialectOf(target).writeRequest({ ...request, model }, terms, this.#losses);
      return { body: Buffer.from(JSON.stringify(written)) };
    } catch (thrown) {
      return { problem: refusalOf(thrown) };
    }
  }

  #read(): NeutralRequest | SpillwayError {
    const { body, isStream, requestedModel: model } = this.#call;
    try {
      this.#parsed ??= checked(
        this.#own.readRequest(objectOf(body), { model, isStream }, this.#losses),
      );
    } catch (thrown) {
      this.#parsed = refusalOf(thrown);
    }
    return this.#parsed;
  }
}

/** Operations that have a counterpart in every format. */
export function isTranslatable({ operation }: Pick<NativeRoute, 'operation'>): boolean {
  return dialectOfRoute({ operation }) !== undefined;
}

/** Undefined for an operation that is not translated. */
export function dialectOfRoute({
  operation,
}: Pick<NativeRoute, 'operation'>): DialectName | undefined {
  if (operation === 'embeddings' || operation === 'count_tokens') return undefined;
  return operation === 'compact' ? undefined : operation;
}

/**
 * Whether the caller's bytes cannot be sent to the target: it has another format, or not the caller's endpoint of
 * OpenAI's format.
 */
export function isForeign(
  { format, operation }: Pick<NativeRoute, 'format' | 'operation'>,
  target: Pick<Target, 'format' | 'onlyEndpoint'>,
): boolean {
  if (target.format !== format) return true;
  if (target.onlyEndpoint === undefined || format !== 'openai') return false;
  return isTranslatable({ operation }) && operation !== target.onlyEndpoint;
}

/** Every compatible provider of OpenAI's format has Chat Completions; the configuration may choose Responses. */
export function endpointOf({ onlyEndpoint, translateTo = 'chat' }: Target): OpenAiEndpoint {
  return onlyEndpoint ?? translateTo;
}

function dialectOf(target: Target): Dialect {
  const { format } = target;
  return DIALECTS_BY_NAME[format === 'openai' ? endpointOf(target) : DIALECT_NAMES[format]];
}

const DIALECT_NAMES = { anthropic: 'messages', gemini: 'generate' } as const;

function checked(request: NeutralRequest): NeutralRequest {
  checkArguments(request.turns);
  return request;
}

function objectOf(body: Buffer): JsonObject {
  const value: unknown = JSON.parse(body.toString());
  if (!isObject(value)) throw new TranslationProblem('body', 'is not an object');
  return value;
}

function refusalOf(thrown: unknown): SpillwayError {
  if (thrown instanceof UntranslatableField)
    return invalidField(thrown.message, thrown.path, 'not_supported');
  if (thrown instanceof TranslationProblem)
    return invalidField(thrown.message, thrown.path, 'wrong_type');
  if (thrown instanceof SyntaxError)
    return invalidField('the body is not JSON', 'body', 'wrong_type');
  // The stack or the longest text was exceeded while the body was read or written.
  if (thrown instanceof RangeError)
    return invalidField(
      'the body is nested too deeply or too large to translate',
      'body',
      'wrong_type',
    );
  throw thrown;
}

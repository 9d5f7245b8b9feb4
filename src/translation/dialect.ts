// A wire format as translation uses it: reading the caller's side and writing it, reading the provider's side and
// writing it. One implementation per folder (messages, chat, responses, generate). Everything is pure; a reader throws
// `TranslationProblem` for input that it does not understand.

import type { KeepText } from './kept-text.ts';
import type { FieldNames, Losses } from './losses.ts';
import type { NeutralAnswer, NeutralEvent } from './neutral-answer.ts';
import type { JsonObject, NeutralRequest } from './neutral-request.ts';

export type Dialect = {
  /** Names of neutral fields in this format, where they differ from Chat Completions. */
  readonly fieldNames: FieldNames;
  /** The caller's request. The model and streaming of Gemini are in the path, so both are given. */
  readRequest(body: JsonObject, terms: RequestTerms, losses: Losses): NeutralRequest;
  /** The request as the provider's own SDK would send it. */
  writeRequest(request: NeutralRequest, terms: WritingTerms, losses: Losses): JsonObject;
  readAnswer(body: JsonObject): NeutralAnswer;
  writeAnswer(answer: NeutralAnswer): JsonObject;
  /** Reads the provider's stream, one decoded event at a time. */
  createStreamReader(keepText?: KeepText): NeutralStreamReader;
  /** The caller's stream repeats the text of a part at its end. */
  readonly repeatsTexts: boolean;
  /** Writes the caller's stream as bytes, with the framing of its format. */
  createStreamWriter(terms: StreamTerms): NeutralStreamWriter;
};

export type RequestTerms = { readonly model: string; readonly isStream: boolean };

export type WritingTerms = {
  /** The largest output that the model can produce, for formats that demand a maximum. */
  readonly maxOutputTokens: number;
  /** Fields of Chat Completions that the provider knows; absent: all. */
  readonly chat?: { readonly knowsNewMaximum: boolean; readonly knowsUsageOption: boolean };
};

export type NeutralStreamReader = {
  /** `name` is the SSE event's name, empty without one; `data` its parsed JSON. `[DONE]` is not passed. */
  push(name: string, data: JsonObject): readonly NeutralEvent[];
  /** The provider's stream ended cleanly. */
  end(): readonly NeutralEvent[];
};

export type StreamTerms = {
  /** The model's name as the caller wrote it. */
  readonly model: string;
  /** Chat Completions: the caller asked for a last chunk with the usage. */
  readonly includesUsage: boolean;
  /** Gemini: one JSON array instead of events. */
  readonly isArray: boolean;
};

export type NeutralStreamWriter = {
  /** The bytes of one event, as text; empty if the format has none for it. */
  write(event: NeutralEvent): string;
};

/** The input does not have the form of its format. `path` names the field, with dots and indices. */
export class TranslationProblem extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(`${path}: ${message}`);
    this.path = path;
  }
}

// What a whole (unary) answer says it used, read from its bytes: Messages, Chat Completions, Responses,
// Embeddings, generateContent. Pure. Only the usage object itself is parsed; the answer is hopped over. An
// answer without one (counting tokens, listing models, a broken body) gives undefined and the caller estimates.

import type { ProviderFormat } from '../kernel/provider-format.ts';
import type { Usage } from '../kernel/usage.ts';
import { peekFields, readObject, readString } from './peek-json.ts';
import { addCounts, emptyCounts, usageOf } from './usage-reader-counts.ts';

export type AnswerReading = {
  readonly usage: Usage | undefined;
  /** The model that served, as the provider names it; it may be more exact than the one asked for. */
  readonly model: string | undefined;
};

export function readUsage(format: ProviderFormat, body: Buffer): Usage | undefined {
  return readAnswer(format, body).usage;
}

export function readModel(format: ProviderFormat, body: Buffer): string | undefined {
  return readAnswer(format, body).model;
}

/** Both in one pass. */
export function readAnswer(format: ProviderFormat, body: Buffer): AnswerReading {
  const names = FIELDS[format];
  const peeked = peekFields(body, names);
  if (!peeked.ok) return NOTHING_READ;
  const usage = readObject(body, peeked.fields.get(names[0]));
  const model = readString(body, peeked.fields.get(names[1]));
  if (!usage) return { usage: undefined, model };
  const counts = emptyCounts();
  addCounts(format, counts, usage);
  return { usage: usageOf(format, counts), model };
}

/** Where the usage and the model stand. */
const FIELDS = {
  anthropic: ['usage', 'model'],
  openai: ['usage', 'model'],
  gemini: ['usageMetadata', 'modelVersion'],
} as const satisfies Record<ProviderFormat, readonly [string, string]>;

const NOTHING_READ: AnswerReading = Object.freeze({ usage: undefined, model: undefined });

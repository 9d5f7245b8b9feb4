// Embeddings that mean nothing but behave: the same text gives the same vector of length one, as a list or,
// as OpenAI's SDK asks, as base64 of 32-bit floats.

import type { ReadResult } from '../ask.ts';
import { misread } from '../ask.ts';
import type { JsonRecord } from '../read-json.ts';
import { asList, asNumber, asText, asTexts } from '../read-json.ts';
import { seededRandom } from '../scenario/random.ts';
import { tokensOfText } from '../tokens.ts';
import { seedOf } from '../truth/digest.ts';

export type EmbeddingAsk = {
  readonly model: string;
  readonly inputs: readonly string[];
  readonly dimensions: number;
  readonly isBase64: boolean;
  readonly inputTokens: number;
};

const USUAL_DIMENSIONS = 1_536;
const MAX_DIMENSIONS = 4_096;

export function readEmbeddings(body: JsonRecord): ReadResult<EmbeddingAsk> {
  const model = asText(body.model);
  if (model === undefined) return misread('you must provide a model parameter', 'model');
  const inputs = readInputs(body.input);
  if (inputs.length === 0) return misread("'input' must not be empty", 'input');
  const dimensions = Math.min(asNumber(body.dimensions) ?? USUAL_DIMENSIONS, MAX_DIMENSIONS);
  const inputTokens = inputs.reduce((sum, text) => sum + tokensOfText(text), 0);
  const isBase64 = body.encoding_format === 'base64';
  return { ask: { model, inputs, dimensions: Math.max(1, dimensions), isBase64, inputTokens } };
}

/** Text, several texts, or lists of token numbers, which are embedded as they are written. */
function readInputs(input: unknown): readonly string[] {
  const texts = asTexts(input);
  if (texts.length > 0) return texts;
  const list = asList(input);
  const isOneListOfTokens = typeof list[0] === 'number';
  return isOneListOfTokens ? [list.join(' ')] : list.map((item) => asList(item).join(' '));
}

export function embed(ask: EmbeddingAsk): unknown {
  const data = ask.inputs.map((text, index) => {
    const vector = vectorOf(text, ask.dimensions);
    const embedding = ask.isBase64 ? base64(vector) : [...vector];
    return { object: 'embedding', index, embedding };
  });
  const usage = { prompt_tokens: ask.inputTokens, total_tokens: ask.inputTokens };
  return { object: 'list', data, model: ask.model, usage };
}

export function vectorOf(text: string, dimensions: number): Float32Array {
  const random = seededRandom(seedOf(text));
  const vector = Float32Array.from({ length: dimensions }, () => random() * 2 - 1);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function base64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}

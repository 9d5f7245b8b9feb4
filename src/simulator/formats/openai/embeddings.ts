// Meaningless but consistent embeddings: the same text yields the same unit vector, as a list or, as OpenAI's
// SDK requests it, as base64 of 32-bit floats.

import type { ReadResult } from '../../model-request.ts';
import { reject } from '../../model-request.ts';
import type { JsonRecord } from '../../read-json.ts';
import { asList, asNumber, asText, asTexts } from '../../read-json.ts';
import { seededRandom } from '../../scenario/random.ts';
import { tokensOfText } from '../../tokens.ts';
import { seedOf } from '../../truth/digest.ts';

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
  if (model === undefined) return reject('you must provide a model parameter', 'model');
  const inputs = readInputs(body.input);
  if (inputs.length === 0) return reject("'input' must not be empty", 'input');
  const dimensions = Math.min(asNumber(body.dimensions) ?? USUAL_DIMENSIONS, MAX_DIMENSIONS);
  const inputTokens = inputs.reduce((sum, text) => sum + tokensOfText(text), 0);
  const isBase64 = body.encoding_format === 'base64';
  return { request: { model, inputs, dimensions: Math.max(1, dimensions), isBase64, inputTokens } };
}

/** A text, a list of texts, or lists of token numbers, which are embedded in their written form. */
function readInputs(input: unknown): readonly string[] {
  const texts = asTexts(input);
  if (texts.length > 0) return texts;
  const list = asList(input);
  const isOneListOfTokens = typeof list[0] === 'number';
  return isOneListOfTokens ? [list.join(' ')] : list.map((item) => asList(item).join(' '));
}

export function embed(request: EmbeddingAsk): unknown {
  const data = request.inputs.map((text, index) => {
    const vector = vectorOf(text, request.dimensions);
    const embedding = request.isBase64 ? base64(vector) : [...vector];
    return { object: 'embedding', index, embedding };
  });
  const usage = { prompt_tokens: request.inputTokens, total_tokens: request.inputTokens };
  return { object: 'list', data, model: request.model, usage };
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

// Gemini embeddings: one content, or a batch of requests that each repeat the model. Equal texts get the same
// vectors as in OpenAI's format; the path holds the model and the operation.

import type { ReadResult } from '../../model-request.ts';
import { reject } from '../../model-request.ts';
import type { JsonRecord } from '../../read-json.ts';
import { asList, asNumber, asRecord, asText } from '../../read-json.ts';
import { tokensOfText } from '../../tokens.ts';
import { vectorOf } from '../openai/embeddings.ts';

export type GeminiEmbeddingAsk = {
  readonly model: string;
  readonly isBatch: boolean;
  readonly texts: readonly string[];
  readonly dimensions: readonly number[];
  readonly inputTokens: number;
};

const USUAL_DIMENSIONS = 3_072;

export function readGeminiEmbeddings(
  body: JsonRecord,
  model: string,
): ReadResult<GeminiEmbeddingAsk> {
  const isBatch = body.requests !== undefined;
  const requests = isBatch ? asList(body.requests).map(asRecord) : [body];
  const texts = requests.map(textOf);
  if (texts.length === 0 || texts.includes(''))
    return reject('* EmbedContentRequest.content: contents is not specified', 'content');
  const other = requests.find((request) => isOther(request.model, model));
  if (other) return reject('* EmbedContentRequest.model: model does not match the path', 'model');
  const inputTokens = texts.reduce((sum, text) => sum + tokensOfText(text), 0);
  return {
    request: { model, isBatch, texts, dimensions: requests.map(dimensionsOf), inputTokens },
  };
}

export function embedAsGemini(request: GeminiEmbeddingAsk): unknown {
  const vectors = request.texts.map((text, index) => ({
    values: [...vectorOf(text, request.dimensions[index] ?? USUAL_DIMENSIONS)],
  }));
  const usageMetadata = { promptTokenCount: request.inputTokens };
  return request.isBatch
    ? { embeddings: vectors, usageMetadata }
    : { embedding: vectors[0], usageMetadata };
}

function textOf({ content }: JsonRecord): string {
  const parts = asList(asRecord(content).parts).map(asRecord);
  return parts.map((part) => asText(part.text) ?? '').join(' ');
}

function isOther(stated: unknown, model: string): boolean {
  return stated !== undefined && stated !== `models/${model}` && stated !== model;
}

function dimensionsOf(request: JsonRecord): number {
  const config = asRecord(request.embedContentConfig);
  const stated = request.outputDimensionality ?? request.output_dimensionality;
  const wanted = asNumber(stated ?? config.outputDimensionality) ?? USUAL_DIMENSIONS;
  return Math.min(Math.max(1, wanted), USUAL_DIMENSIONS);
}

// Gemini's generateContent as a dialect.

import type { Dialect } from '../dialect.ts';
import { readGenerateAnswer, writeGenerateAnswer } from './answer.ts';
import { readGenerateRequest } from './read-request.ts';
import { GenerateStreamReader } from './read-stream.ts';
import { writeGenerateRequest } from './write-request.ts';
import { GenerateStreamWriter } from './write-stream.ts';

export const generateDialect: Dialect = {
  fieldNames: new Map([
    ['file_url', 'fileData.fileUri'],
    ['temperature', 'generationConfig.temperature'],
    ['top_k', 'generationConfig.topK'],
    ['seed', 'generationConfig.seed'],
    ['presence_penalty', 'generationConfig.presencePenalty'],
    ['frequency_penalty', 'generationConfig.frequencyPenalty'],
    ['stop', 'generationConfig.stopSequences'],
    ['response_format', 'generationConfig.responseMimeType'],
  ]),
  readRequest: readGenerateRequest,
  writeRequest: writeGenerateRequest,
  readAnswer: readGenerateAnswer,
  writeAnswer: writeGenerateAnswer,
  repeatsTexts: false,
  createStreamReader: (keepText) => new GenerateStreamReader(keepText),
  createStreamWriter: (terms) => new GenerateStreamWriter(terms),
};

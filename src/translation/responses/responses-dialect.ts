// OpenAI's Responses as a dialect.

import type { Dialect } from '../dialect.ts';
import { readResponsesAnswer, writeResponsesAnswer } from './answer.ts';
import { readResponsesRequest } from './read-request.ts';
import { ResponsesStreamReader } from './read-stream.ts';
import { writeResponsesRequest } from './write-request.ts';
import { ResponsesStreamWriter } from './write-stream.ts';

export const responsesDialect: Dialect = {
  fieldNames: new Map(),
  readRequest: readResponsesRequest,
  writeRequest: writeResponsesRequest,
  readAnswer: readResponsesAnswer,
  writeAnswer: writeResponsesAnswer,
  repeatsTexts: true,
  createStreamReader: (keepText) => new ResponsesStreamReader(keepText),
  createStreamWriter: (terms) => new ResponsesStreamWriter(terms),
};

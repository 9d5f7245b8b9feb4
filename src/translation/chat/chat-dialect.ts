// OpenAI's Chat Completions as a dialect.

import type { Dialect } from '../dialect.ts';
import { readChatAnswer, writeChatAnswer } from './answer.ts';
import { readChatRequest } from './read-request.ts';
import { ChatStreamReader } from './read-stream.ts';
import { writeChatRequest } from './write-request.ts';
import { ChatStreamWriter } from './write-stream.ts';

export const chatDialect: Dialect = {
  fieldNames: new Map(),
  readRequest: readChatRequest,
  writeRequest: writeChatRequest,
  readAnswer: readChatAnswer,
  writeAnswer: writeChatAnswer,
  repeatsTexts: false,
  createStreamReader: (keepText) => new ChatStreamReader(keepText),
  createStreamWriter: (terms) => new ChatStreamWriter(terms),
};

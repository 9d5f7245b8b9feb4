// Anthropic's Messages as a dialect.

import type { Dialect } from '../dialect.ts';
import { readMessagesAnswer, writeMessagesAnswer } from './answer.ts';
import { readMessagesRequest } from './read-request.ts';
import { MessagesStreamReader } from './read-stream.ts';
import { writeMessagesRequest } from './write-request.ts';
import { MessagesStreamWriter } from './write-stream.ts';

export const messagesDialect: Dialect = {
  fieldNames: new Map([
    ['file_url', 'source.url'],
    ['stop', 'stop_sequences'],
    ['parallel_tool_calls', 'tool_choice.disable_parallel_tool_use'],
  ]),
  readRequest: readMessagesRequest,
  writeRequest: writeMessagesRequest,
  readAnswer: readMessagesAnswer,
  writeAnswer: writeMessagesAnswer,
  repeatsTexts: false,
  createStreamReader: (keepText) => new MessagesStreamReader(keepText),
  createStreamWriter: (terms) => new MessagesStreamWriter(terms),
};

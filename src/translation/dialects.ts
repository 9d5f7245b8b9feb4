// All dialects by name.

import { chatDialect } from './chat/chat-dialect.ts';
import type { Dialect } from './dialect.ts';
import { generateDialect } from './generate/generate-dialect.ts';
import { messagesDialect } from './messages/messages-dialect.ts';
import type { DialectName } from './neutral-request.ts';
import { responsesDialect } from './responses/responses-dialect.ts';

export const DIALECTS_BY_NAME: Readonly<Record<DialectName, Dialect>> = {
  messages: messagesDialect,
  chat: chatDialect,
  responses: responsesDialect,
  generate: generateDialect,
};

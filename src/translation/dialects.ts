// All dialects by name.

import { chatDialect } from './chat/index.ts';
import type { Dialect } from './dialect.ts';
import { generateDialect } from './generate/index.ts';
import { messagesDialect } from './messages/index.ts';
import type { DialectName } from './neutral-request.ts';
import { responsesDialect } from './responses/index.ts';

export const DIALECTS_BY_NAME: Readonly<Record<DialectName, Dialect>> = {
  messages: messagesDialect,
  chat: chatDialect,
  responses: responsesDialect,
  generate: generateDialect,
};

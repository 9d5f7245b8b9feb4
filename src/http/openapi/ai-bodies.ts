// The request bodies of the AI endpoints: the fields that every call needs, and an example to paste. The objects are open,
// because providers add fields and document them.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import type { NativeOperation } from '../../upstream/native-route.ts';

type Json = Record<string, unknown>;

/** `endpoint`: the documented path; Gemini's distinguishes one embedding from a batch. */
export function aiBody(
  format: ProviderFormat,
  operation: NativeOperation,
  endpoint: string,
): { readonly schema: Json; readonly example: Json & { readonly model: string } } {
  if (format === 'anthropic') return operation === 'messages' ? MESSAGES : COUNT_MESSAGES;
  if (format === 'gemini') return geminiBody(operation, endpoint);
  if (operation === 'embeddings') return EMBEDDINGS;
  if (operation === 'compact' || operation === 'count_tokens') return CONVERSATION;
  return operation === 'responses' ? RESPONSES : CHAT;
}

function geminiBody(operation: NativeOperation, endpoint: string) {
  if (operation !== 'embeddings') return GENERATE;
  return endpoint.endsWith(':batchEmbedContents') ? BATCH_EMBED : EMBED;
}

const model = { type: 'string', pattern: '^[!-~]{1,128}$' };
const stream = { type: 'boolean' };
const text = { type: 'string', minLength: 1 };
const parts = { type: 'array', minItems: 1, items: { type: 'object' } };
const message = object(['role', 'content'], {
  role: { type: 'string', enum: ['user', 'assistant'] },
  content: { anyOf: [text, parts] },
});
const messages = { type: 'array', minItems: 1, items: message };
const content = object(['parts'], {
  role: { type: 'string', enum: ['user', 'model'] },
  parts: { type: 'array', minItems: 1, items: object(['text'], { text }) },
});

const HELLO = [{ role: 'user', content: 'Hello' }];
const HELLO_CONTENT = { role: 'user', parts: [{ text: 'Hello' }] };

const MESSAGES = {
  schema: object(['model', 'max_tokens', 'messages'], {
    model,
    max_tokens: { type: 'integer', minimum: 1, maximum: 1_000_000 },
    messages,
    stream,
  }),
  example: { model: 'claude-sonnet-5-5', max_tokens: 100, messages: HELLO },
};

const COUNT_MESSAGES = {
  schema: object(['model', 'messages'], { model, messages }),
  example: { model: 'claude-sonnet-5-5', messages: HELLO },
};

const CHAT = {
  schema: object(['model', 'messages'], { model, messages, stream }),
  example: { model: 'gpt-5.2', messages: HELLO },
};

const RESPONSES = {
  schema: object(['model', 'input'], { model, input: { anyOf: [text, messages] }, stream }),
  example: { model: 'gpt-5.2', input: 'Hello' },
};

const CONVERSATION = {
  schema: object(['model', 'input'], { model, input: { anyOf: [text, messages] } }),
  example: { model: 'gpt-5.2', input: 'Hello' },
};

const EMBEDDINGS = {
  schema: object(['model', 'input'], {
    model,
    input: { anyOf: [text, { type: 'array', minItems: 1, items: text }] },
  }),
  example: { model: 'text-embedding-3-small', input: 'Hello' },
};

const GENERATE = {
  schema: object(['contents'], { contents: { type: 'array', minItems: 1, items: content } }),
  example: { model: 'gemini-3-flash', contents: [HELLO_CONTENT] },
};

const EMBED = {
  schema: object(['content'], { content }),
  example: { model: 'gemini-embedding-001', content: HELLO_CONTENT },
};

/** A request may repeat the model of the path, which a schema cannot express; any other model is refused. */
const BATCH_EMBED = {
  schema: object(['requests'], {
    requests: {
      type: 'array',
      minItems: 1,
      items: object(['content'], { content }),
    },
  }),
  example: {
    model: 'gemini-embedding-001',
    requests: [{ model: 'models/gemini-embedding-001', content: HELLO_CONTENT }],
  },
};

function object(required: readonly string[], properties: Json): Json {
  return { type: 'object', required, properties };
}

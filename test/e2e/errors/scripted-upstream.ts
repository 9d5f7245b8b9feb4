// A provider with scripted responses. Each request selects its response in the field `plan`, which passes
// through the gateway like any other field: `<number>:<way>`.
//
// Ways: refuse (the failure as the response), first (a stream that starts with it), late (a stream that has
// begun).

import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { CANARIES, type PlantedResponse } from './canaries.ts';

const WAYS = ['refuse', 'first', 'late'] as const;
export type Way = (typeof WAYS)[number];

export type ScriptedUpstream = {
  readonly url: string;
  /** The caller has its first bytes: streams that have begun now fail. */
  proceed(): void;
  /** The number of requests received. */
  requestCount(): number;
  close(): Promise<void>;
};

export async function startScriptedUpstream(
  script: readonly PlantedResponse[],
): Promise<ScriptedUpstream> {
  let requestCount = 0;
  const begun = new EventEmitter();
  const server = createServer((request, response) => {
    requestCount += 1;
    answer(script, begun, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    proceed: () => void begun.emit('proceed'),
    requestCount: () => requestCount,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(
  script: readonly PlantedResponse[],
  begun: EventEmitter,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const plan = /"plan":"(\d+):(\w+)"/.exec(Buffer.concat(chunks).toString());
  const planted = script[Number(plan?.[1])];
  if (!planted) throw new Error('the request names no plan');
  if (plan?.[2] === 'refuse') {
    response.writeHead(planted.status, planted.headers);
    response.end(planted.body);
    return;
  }
  const format = formatOf(request.url ?? '');
  const type = `text/event-stream; charset=utf-8; host=${CANARIES.host}`;
  response.writeHead(200, { ...planted.headers, 'content-type': type });
  if (plan?.[2] === 'late') {
    response.write(CONTENT[format]);
    await once(begun, 'proceed');
  }
  response.end(errorEvent(format, planted));
}

type Format = 'anthropic' | 'openai' | 'gemini';

function formatOf(url: string): Format {
  if (url.includes('/messages')) return 'anthropic';
  return url.includes('/chat/completions') ? 'openai' : 'gemini';
}

const CONTENT = {
  anthropic: [
    event('message_start', {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        usage: { input_tokens: 3, output_tokens: 1 },
      },
    }),
    event('content_block_start', {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'text', text: '' },
    }),
    event('content_block_delta', {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'Hello' },
    }),
  ].join(''),
  openai: event(undefined, {
    id: 'c1',
    object: 'chat.completion.chunk',
    model: 'm',
    choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello' }, finish_reason: null }],
  }),
  gemini: event(undefined, {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, index: 0 }],
  }),
} as const;

function errorEvent(format: Format, { body }: PlantedResponse): string {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  const error = errorOf(text);
  if (format === 'anthropic') return event('error', { type: 'error', error });
  return event(undefined, { error });
}

function errorOf(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    const value: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
    const inner: unknown =
      value && typeof value === 'object' && 'error' in value ? value.error : value;
    return typeof inner === 'object' ? inner : { message: JSON.stringify(inner) };
  } catch {
    return { message: text };
  }
}

function event(name: string | undefined, data: object): string {
  const line = `data: ${JSON.stringify(data)}\n\n`;
  return name === undefined ? line : `event: ${name}\n${line}`;
}

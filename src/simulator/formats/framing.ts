// Encodes events as server-sent events, or as elements of one growing JSON list (Gemini without `alt=sse`).
// Each framing has its own keep-alive.

import type { Route } from '../route.ts';
import type { StreamEvent } from './wire-format.ts';

export type Framing = {
  readonly contentType: string;
  frame(event: StreamEvent, isFirst: boolean): string;
  /** The bytes that end a stream cleanly. */
  end(hasBegun: boolean): string;
  readonly keepAlive: string;
};

export function framingOf(route: Route): Framing {
  if (route.streaming === 'json-array') return JSON_ARRAY;
  if (route.dialect === 'gemini') return GEMINI_EVENTS;
  return route.dialect === 'anthropic' ? ANTHROPIC_EVENTS : OPENAI_EVENTS;
}

const ANTHROPIC_EVENTS: Framing = {
  contentType: 'text/event-stream; charset=utf-8',
  frame: (event) => `event: ${event.name}\ndata: ${event.data}\n\n`,
  end: () => '',
  keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
};

const OPENAI_EVENTS: Framing = {
  contentType: 'text/event-stream; charset=utf-8',
  frame: ({ name, data }) =>
    name === undefined ? `data: ${data}\n\n` : `event: ${name}\ndata: ${data}\n\n`,
  end: () => '',
  keepAlive: ': keep-alive\n\n',
};

const GEMINI_EVENTS: Framing = {
  contentType: 'text/event-stream',
  frame: ({ data }) => `data: ${data}\r\n\r\n`,
  end: () => '',
  keepAlive: ': keep-alive\r\n\r\n',
};

const JSON_ARRAY: Framing = {
  contentType: 'application/json; charset=UTF-8',
  frame: ({ data }, isFirst) => (isFirst ? `[${data}` : `,\r\n${data}`),
  end: (hasBegun) => (hasBegun ? ']' : '[]'),
  keepAlive: '\n',
};

// A reader of server-sent events over HTTP, as a browser is: it reads events as they come and can disconnect.

export type StreamEvent = { readonly id: string; readonly data: Readonly<Record<string, unknown>> };

export type EventStream = {
  readonly status: number;
  readonly headers: Headers;
  /** The next event; undefined after the end of the stream. */
  next(): Promise<StreamEvent | undefined>;
  /** All events until the end of the stream. */
  rest(): Promise<readonly StreamEvent[]>;
  leave(): void;
};

export async function openEventStream(
  url: string,
  headers: Record<string, string>,
): Promise<EventStream> {
  const leaving = new AbortController();
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: leaving.signal,
  });
  const events = response.body ? parse(response.body) : parse(new ReadableStream<Uint8Array>());
  async function next(): Promise<StreamEvent | undefined> {
    const event = await events.next();
    return event.done ? undefined : event.value;
  }
  return {
    // Refers to the response: an unreferenced one would be garbage-collected and its connection closed.
    get status() {
      return response.status;
    },
    get headers() {
      return response.headers;
    },
    next,
    async rest() {
      const found: StreamEvent[] = [];
      for (let event = await next(); event; event = await next()) found.push(event);
      return found;
    },
    leave: () => leaving.abort(),
  };
}

async function* parse(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void, void> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = readEvent(text.slice(0, end));
      text = text.slice(end + 2);
      if (event) yield event;
    }
  }
}

/** Undefined for comments and `retry:` fields. */
function readEvent(block: string): StreamEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
    }),
  );
  const data = fields.get('data');
  return data === undefined ? undefined : { id: fields.get('id') ?? '', data: JSON.parse(data) };
}

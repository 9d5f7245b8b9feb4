// Server-sent events over fetch. EventSource sends no headers, hides the status of a refusal and cannot be resumed after a
// reload; this parser reads the same format (HTML Living Standard, section 9.2) from a response's body.

/** One server-sent event. */
export type ServerEvent = {
  /** The last id that the stream has sent. */
  readonly id: string;
  /** The event's name; `message` by default. */
  readonly type: string;
  readonly data: string;
};

/** Callbacks of `readEvents` for everything but events. */
export type StreamHooks = {
  /** Every chunk, comments included: the connection is alive. */
  onChunk?(): void;
  /** The server's `retry:` field: milliseconds before a reconnection. */
  onRetry?(delayMs: number): void;
};

/** Ends with the body. Leaving the loop cancels the body. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  hooks: StreamHooks = {},
): AsyncGenerator<ServerEvent, void, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let isEnded = false;
  let [id, type, data] = ['', '', ''];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isEnded = done;
      if (done) return;
      hooks.onChunk?.();
      const lines = (text + decoder.decode(value, { stream: true })).split(LINE_END);
      text = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          if (data !== '') yield { id, type: type || 'message', data: data.slice(0, -1) };
          [type, data] = ['', ''];
          continue;
        }
        const [, name, content = ''] = FIELD.exec(line) ?? [];
        if (name === 'data') data += `${content}\n`;
        else if (name === 'event') type = content;
        else if (name === 'id') id = content;
        else if (name === 'retry' && /^\d{1,6}$/.test(content)) hooks.onRetry?.(Number(content));
      }
    }
  } finally {
    // Rejects if the connection is already broken.
    if (!isEnded) await reader.cancel().catch(() => {});
  }
}

/** A carriage return at the end of a chunk may be the first half of a line end. */
const LINE_END = /\r\n|\n|\r(?!$)/;
const FIELD = /^([^:]*)(?:: ?(.*))?$/;

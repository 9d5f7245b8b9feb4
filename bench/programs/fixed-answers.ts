// The bytes that the fixed upstream sends: one Anthropic message of about 1 KiB, and the same kind of
// message as a stream of 100 events. Made once, so that the upstream only copies.

export const MODEL = 'claude-sonnet-4';
export const STREAM_EVENTS = 100;
/** The start of the message, the start of its text, the first words. */
export const EVENTS_AT_ONCE = 3;

const USAGE = {
  input_tokens: 212,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 96,
  service_tier: 'standard',
};

const WORDS = 'The river rises in spring, and the spillway carries what the dam cannot hold. ';

export const UNARY_BODY: Buffer = Buffer.from(
  JSON.stringify({
    id: 'msg_01BenchBenchBenchBenchBench',
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content: [{ type: 'text', text: WORDS.repeat(9).trimEnd() }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: USAGE,
  }),
);

export const UNARY_ANSWER: Buffer = Buffer.concat([
  Buffer.from(
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nrequest-id: req_bench\r\n' +
      `content-length: ${UNARY_BODY.length}\r\n\r\n`,
  ),
  UNARY_BODY,
]);

export const STREAM_HEAD: Buffer = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\n' +
    'request-id: req_bench\r\ntransfer-encoding: chunked\r\n\r\n',
);

export const STREAM_END: Buffer = Buffer.from('0\r\n\r\n');

const events = streamEvents();

/** One chunk of the transfer encoding per event. */
export const STREAM_CHUNKS: readonly Buffer[] = events.map((event) =>
  Buffer.from(`${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`),
);

export const STREAM_BODY_BYTES: number = Buffer.byteLength(events.join(''));

function streamEvents(): string[] {
  const start = { ...USAGE, output_tokens: 1 };
  const message = { id: 'msg_01Bench', type: 'message', role: 'assistant', model: MODEL };
  const before = [
    event('message_start', {
      message: { ...message, content: [], stop_reason: null, usage: start },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  ];
  const after = [
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: USAGE.output_tokens },
    }),
    event('message_stop', {}),
  ];
  const delta = event('content_block_delta', {
    index: 0,
    delta: { type: 'text_delta', text: 'the spillway carries ' },
  });
  const deltas = STREAM_EVENTS - before.length - after.length;
  return [...before, ...Array.from({ length: deltas }, () => delta), ...after];
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

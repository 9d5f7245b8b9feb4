// One event of a provider's stream, whichever way the stream is cut into events: server-sent events
// (sse-events) or the elements of one JSON array (stream-reader-array).

/** One event as ranges of bytes. The object and its buffers are reused: read it within the call. */
export type StreamEvent = {
  data: Buffer;
  dataStart: number;
  dataEnd: number;
  name: Buffer;
  nameStart: number;
  /** Equal to `nameStart` when the event has no name. */
  nameEnd: number;
  isWhole: boolean;
  /** It had several data lines, which stand in `data` with line breaks between them. */
  isJoined: boolean;
};

export type StreamSplitter = {
  /** False once an event was too large to be kept whole. */
  feed(chunk: Buffer): boolean;
  /** The stream ended: an event whose empty line never came is delivered as it is. */
  finish(): void;
  /** How many bytes at the end of what was fed belong to an event that is not complete yet. */
  readonly pendingBytes: number;
};

export const MAX_EVENT_BYTES = 256 * 1024;

export function emptyEvent(): StreamEvent {
  const nothing = Buffer.alloc(0);
  return {
    data: nothing,
    dataStart: 0,
    dataEnd: 0,
    name: nothing,
    nameStart: 0,
    nameEnd: 0,
    isWhole: true,
    isJoined: false,
  };
}

// An event of several data lines. Nobody we speak to sends such events, so most likely two have run into each other:
// one that was never finished, and the error that is the reason for it. Their lines joined are no JSON, and a reader of
// the whole would see the first one's beginning only; so each line is asked by itself whether it is an error.

import type { StreamEvent } from './stream-reader-event.ts';
import { noteError, type StreamState } from './stream-reader-state.ts';

const LF = 0x0a;

/** True when one of the lines was an error, which has then been noted. */
export function readJoinedError(state: StreamState, event: StreamEvent): boolean {
  const { data, dataEnd } = event;
  for (let start = event.dataStart; start < dataEnd; ) {
    const found = data.indexOf(LF, start);
    const end = found < 0 || found > dataEnd ? dataEnd : found;
    if (isError(state, data, start, end)) {
      noteError(state, data, start, end);
      return true;
    }
    start = end + 1;
  }
  return false;
}

function isError({ keys }: StreamState, bytes: Buffer, start: number, end: number): boolean {
  keys.start(bytes, start, end);
  while (keys.next()) {
    if (keys.depth !== 1) continue;
    if (keys.isKey('error') && keys.isSomething()) return true;
    if (keys.isKey('type') && (keys.isTextValue('error') || keys.isTextValue('response.failed')))
      return true;
  }
  return false;
}

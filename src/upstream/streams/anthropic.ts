// Reads one event of a Messages stream: message_start (input usage), content_block_start and _delta (content),
// message_delta (output usage), message_stop (the end), error. Pings are ignored. The event's kind is its name, or its
// `type` when the name is missing or unknown: some compatible providers send no names, and an error after a cut event
// carries that event's name.

import { NameTable } from '../json/name-table.ts';
import { peekFields } from '../json/peek-fields.ts';
import { bytesEqual } from '../json/scan.ts';
import type { StreamEvent } from './event.ts';
import {
  type EventReader,
  noteContent,
  noteError,
  noteErrorAtEnd,
  noteFinish,
  noteStatedFailure,
  noteThinking,
  noteUsage,
  type StreamState,
} from './state.ts';
import { showToolUse } from './usage-extras.ts';

export const readAnthropicEvent: EventReader = (state, event) => {
  const { name, nameStart, nameEnd } = event;
  if (nameEnd > nameStart && readKind(state, event, name, nameStart, nameEnd)) return;
  const { keys } = state;
  keys.start(event.data, event.dataStart, event.dataEnd);
  while (keys.next()) {
    if (keys.depth !== 1) continue;
    // An error under a name or type of its own.
    if (keys.isKey('error') && keys.isSomething())
      return noteError(state, event.data, event.dataStart, event.dataEnd);
    if (!keys.isKey('type') || !keys.isText()) continue;
    if (readKind(state, event, keys.bytes, keys.valueStart + 1, keys.valueEnd)) return;
  }
  noteStatedFailure(state, event);
};

/** False for a kind that carries nothing of interest. */
function readKind(
  state: StreamState,
  event: StreamEvent,
  bytes: Buffer,
  start: number,
  end: number,
): boolean {
  if (bytesEqual(bytes, start, end, 'content_block_delta')) readDelta(state, event);
  else if (bytesEqual(bytes, start, end, 'content_block_start')) readBlockStart(state, event);
  else if (bytesEqual(bytes, start, end, 'message_delta')) readMessageDelta(state, event);
  else if (bytesEqual(bytes, start, end, 'message_start')) readMessageStart(state, event);
  else if (bytesEqual(bytes, start, end, 'message_stop')) state.status.terminal = true;
  else if (bytesEqual(bytes, start, end, 'error'))
    noteError(state, event.data, event.dataStart, event.dataEnd);
  else return false;
  return true;
}

/** Deltas of other kinds (signatures, citations) are content without measured bytes and not an answer by themselves. */
function readDelta(state: StreamState, event: StreamEvent): void {
  if (!event.isWhole) {
    noteErrorAtEnd(state, event);
    return noteContent(state, event.dataEnd - event.dataStart);
  }
  const { keys } = state;
  keys.start(event.data, event.dataStart, event.dataEnd);
  while (keys.next()) {
    if (keys.depth !== 2) continue;
    if (keys.isKey('thinking')) {
      const bytes = keys.textBytes();
      return bytes > 0 ? noteThinking(state, bytes) : undefined;
    }
    // The content of a delta is the summary of a compacted context.
    if (keys.isKey('text') || keys.isKey('partial_json') || keys.isKey('content')) {
      const bytes = keys.textBytes();
      if (bytes > 0) noteContent(state, bytes);
      return;
    }
  }
  noteStatedFailure(state, event);
  if (!state.status.error) noteThinking(state, 0);
}

/** A text or thinking block begins empty; a tool call, a result or redacted thinking is content at its start. */
function readBlockStart(state: StreamState, event: StreamEvent): void {
  const { keys } = state;
  let isEmpty = false;
  let isThinking = false;
  keys.start(event.data, event.dataStart, event.dataEnd);
  while (keys.next()) {
    if (keys.depth !== 2) continue;
    if (keys.isKey('type') && keys.isTextValue('server_tool_use')) return readToolUse(state);
    if (keys.isKey('type')) isThinking = keys.isTextValue('redacted_thinking');
    if (keys.isKey('type')) isEmpty = keys.isTextValue('text') || keys.isTextValue('thinking');
    if (keys.isKey('text') || keys.isKey('thinking')) isEmpty = keys.textBytes() === 0;
    if (keys.isKey('type') && !isEmpty) break;
  }
  if (!isEmpty) (isThinking ? noteThinking : noteContent)(state, 0);
}

/** The walker is at the type of a block in which the provider uses its own tool. */
function readToolUse(state: StreamState): void {
  const { keys } = state;
  while (keys.next()) {
    if (keys.depth !== 2 || !keys.isKey('name')) continue;
    const kind = keys.textValue();
    if (kind !== undefined && kind.length <= MAX_KIND) showToolUse(state.counts, kind);
    return noteContent(state, keys.textBytes());
  }
  noteContent(state, 0);
}

/** No known tool has a longer name. */
const MAX_KIND = 64;

const MESSAGE = new NameTable(['message']);
const USAGE = new NameTable(['usage']);

function readMessageStart(state: StreamState, event: StreamEvent): void {
  const data = dataOf(event);
  const peeked = peekFields(data, MESSAGE);
  const message = peeked.ok ? peeked.fields.get('message') : undefined;
  if (message) readUsage(state, data.subarray(message.start, message.end));
}

function readMessageDelta(state: StreamState, event: StreamEvent): void {
  readUsage(state, dataOf(event));
  const { keys } = state;
  keys.start(event.data, event.dataStart, event.dataEnd);
  while (keys.next())
    if (keys.depth === 2 && keys.isKey('stop_reason') && keys.isText()) noteFinish(state, event);
}

function readUsage(state: StreamState, object: Buffer): void {
  const peeked = peekFields(object, USAGE);
  if (peeked.ok) noteUsage(state, object, peeked.fields.get('usage'));
}

function dataOf(event: StreamEvent): Buffer {
  return event.data.subarray(event.dataStart, event.dataEnd);
}

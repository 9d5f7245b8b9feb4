// Reads one event of a Responses API stream; the caller has determined its kind. The last event repeats the whole
// response and may be very large: only its usage and error are read.

import { NameTable } from '../json/name-table.ts';
import { type JsonSpan, peekFields, readObject, readString } from '../json/peek-fields.ts';
import { bytesEqual, endOfValue, OPEN_BRACE } from '../json/scan.ts';
import type { StreamEvent } from './event.ts';
import {
  noteContent,
  noteError,
  noteStatedFailure,
  noteThinking,
  noteUsage,
  noteUsageAtEnd,
  type StreamState,
} from './state.ts';
import { findTailKey } from './tail-key.ts';
import { countToolCalls } from './tool-calls.ts';
import { addTier, addToolUsage, raiseToolUses } from './usage-extras.ts';

export function readResponsesEvent(
  state: StreamState,
  event: StreamEvent,
  kind: Buffer,
  start: number,
  end: number,
): void {
  if (endsWith(kind, start, end, '.delta')) {
    const isThinking = bytesEqual(kind, start, start + REASONING.length, REASONING);
    return readDelta(state, event, isThinking ? noteThinking : noteContent);
  }
  if (bytesEqual(kind, start, end, 'response.completed')) return readEnd(state, event, false);
  if (bytesEqual(kind, start, end, 'response.incomplete')) return readEnd(state, event, false);
  if (bytesEqual(kind, start, end, 'response.failed')) return readEnd(state, event, true);
  if (bytesEqual(kind, start, end, 'error')) return readError(state, event);
  // A finished item (a search, a call, hidden reasoning) and an image are content without deltas.
  if (bytesEqual(kind, start, end, 'response.output_item.done')) readItem(state, event);
  else if (endsWith(kind, start, end, '.partial_image')) noteContent(state, 0);
  else if (!bytesEqual(kind, start, Math.min(start + RESPONSE_KIND.length, end), RESPONSE_KIND))
    noteStatedFailure(state, event);
}

/** The beginning of all kinds but `error`; some of these events repeat the request. */
const RESPONSE_KIND = 'response.';
/** The beginning of all kinds of events with reasoning. */
const REASONING = 'response.reasoning';

/** A finished tool call of the provider counts as a use. */
function readItem(state: StreamState, event: StreamEvent): void {
  noteThinking(state, 0);
  const uses = countToolCalls(event.data.subarray(event.dataStart, event.dataEnd), ITEM_DEPTH);
  for (const [kind, count] of uses)
    raiseToolUses(state.counts, kind, (state.counts.extras?.toolUses?.[kind] ?? 0) + count);
}

/** The depth of the keys of `item` in its event. */
const ITEM_DEPTH = 2;

function readDelta(state: StreamState, event: StreamEvent, note: typeof noteContent): void {
  if (!event.isWhole) return note(state, event.dataEnd - event.dataStart);
  const { keys } = state;
  keys.start(event.data, event.dataStart, event.dataEnd);
  while (keys.next()) {
    if (keys.depth !== 1 || !keys.isKey('delta')) continue;
    const bytes = keys.textBytes();
    if (bytes > 0 || keys.isObject()) note(state, bytes);
    return;
  }
  noteStatedFailure(state, event);
}

const RESPONSE = new NameTable(['response']);
const RESPONSE_FIELDS = new NameTable(['usage', 'error', 'service_tier', 'tool_usage']);
const ERROR = new NameTable(['error']);

function readEnd(state: StreamState, event: StreamEvent, hasFailed: boolean): void {
  state.status.terminal = !hasFailed;
  if (!event.isWhole) {
    readTail(state, event);
    if (hasFailed) state.status.error ??= UNREADABLE_FAILURE;
    return;
  }
  const data = event.data.subarray(event.dataStart, event.dataEnd);
  const outer = peekFields(data, RESPONSE);
  const span = outer.ok ? outer.fields.get('response') : undefined;
  const response = span ? data.subarray(span.start, span.end) : data;
  const inner = peekFields(response, RESPONSE_FIELDS);
  if (inner.ok) {
    noteUsage(state, response, inner.fields.get('usage'));
    addTier(state.counts, 'service_tier', readString(response, inner.fields.get('service_tier')));
    noteToolUsage(state, response, inner.fields.get('tool_usage'));
  }
  const error = inner.ok ? inner.fields.get('error') : undefined;
  if (!hasFailed && !isStated(response, error)) return;
  state.status.terminal = false;
  if (error) state.status.error ??= wrapped(response.subarray(error.start, error.end));
  else state.status.error ??= UNREADABLE_FAILURE;
}

/** A response that ended normally has `"error":null`. */
function isStated(response: Buffer, error: JsonSpan | undefined): boolean {
  return error !== undefined && response[error.start] === OPEN_BRACE;
}

/** The depth of the keys of `response`. */
const RESPONSE_DEPTH = 2;

function readTail(state: StreamState, event: StreamEvent): void {
  const { data, dataStart, dataEnd } = event;
  noteUsageAtEnd(state, event, 'usage', RESPONSE_DEPTH);
  const valueOf = (name: string): JsonSpan | undefined => {
    const start = findTailKey(data, dataStart, dataEnd, name, RESPONSE_DEPTH);
    const end = start < 0 ? -1 : endOfValue(data, start);
    return end > 0 && end <= dataEnd ? { start, end } : undefined;
  };
  addTier(state.counts, 'service_tier', readString(data, valueOf('service_tier')));
  noteToolUsage(state, data, valueOf('tool_usage'));
}

function noteToolUsage({ counts }: StreamState, bytes: Buffer, span: JsonSpan | undefined): void {
  const usage = readObject(bytes, span);
  if (usage) addToolUsage(counts, usage);
}

/** The error's fields are in the event itself, or in an `error` object. */
function readError(state: StreamState, event: StreamEvent): void {
  const data = event.data.subarray(event.dataStart, event.dataEnd);
  const peeked = peekFields(data, ERROR);
  const isNested = peeked.ok && peeked.fields.has('error');
  if (isNested || !peeked.ok) noteError(state, data, 0, data.length);
  else state.status.error ??= wrapped(data);
}

function wrapped(error: Buffer): Buffer {
  return Buffer.concat([Buffer.from('{"error":'), error, Buffer.from('}')]);
}

function endsWith(bytes: Buffer, start: number, end: number, suffix: string): boolean {
  return end - start >= suffix.length && bytesEqual(bytes, end - suffix.length, end, suffix);
}

const UNREADABLE_FAILURE = Buffer.from('{"error":{"type":"server_error"}}');

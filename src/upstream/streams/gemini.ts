// Reads one element of a streamGenerateContent stream, from an event or an array. Each element is a whole response with
// candidates, usually with the usage so far. The format has no end marker: a finish reason (or the reason why the prompt
// was blocked) followed by the end of the stream is a clean end.

import type { StreamEvent } from './event.ts';
import {
  type EventReader,
  noteContent,
  noteError,
  noteUsageAtEnd,
  type StreamState,
} from './state.ts';
import { GEMINI_COUNTS, GEMINI_KEYS, raise } from './usage-counts.ts';

/** The nesting of a part's keys: response, candidates, candidate, content, parts, part. */
const PART_DEPTH = 6;

/** The length of `promptTokenCount`, the shortest of the usage keys. */
const MIN_COUNT_KEY_BYTES = 16;

const CONTENT_PARTS = ['functionCall', 'inlineData', 'executableCode', 'codeExecutionResult'];

export const readGeminiEvent: EventReader = (state, event) => {
  if (!event.isWhole) return readOversized(state, event);
  const { keys } = state;
  keys.start(event.data, event.dataStart, event.dataEnd);
  while (keys.next()) {
    if (keys.depth === PART_DEPTH) readPartKey(state);
    else if (keys.depth === 1) readTopKey(state, event);
    else if (keys.depth === 2 && !keys.isText() && keys.keyLength >= MIN_COUNT_KEY_BYTES)
      readCount(state);
    else if (keys.isText() && (keys.isKey('finishReason') || keys.isKey('blockReason')))
      state.isFinished = true;
  }
};

function readPartKey(state: StreamState): void {
  const { keys } = state;
  if (keys.isKey('text')) {
    const bytes = keys.textBytes();
    if (bytes > 0) noteContent(state, bytes);
    return;
  }
  if (!CONTENT_PARTS.some((name) => keys.isKey(name))) return;
  // An image's bytes do not correlate with its tokens; a call's arguments do.
  const isMeasured = !keys.isKey('inlineData');
  const span = keys.takeValue();
  noteContent(state, span && isMeasured ? span.end - span.start : 0);
}

function readTopKey(state: StreamState, event: StreamEvent): void {
  const { keys } = state;
  if (keys.isKey('error') && keys.isSomething())
    noteError(state, event.data, event.dataStart, event.dataEnd);
}

/** Every element repeats the usage, so its counts are read in place instead of being parsed each time. */
function readCount(state: StreamState): void {
  const { keys } = state;
  for (const key of GEMINI_KEYS) {
    if (keys.isKey(key)) return raise(state.counts, GEMINI_COUNTS[key], keys.countValue());
  }
}

function readOversized(state: StreamState, event: StreamEvent): void {
  noteContent(state, 0);
  noteUsageAtEnd(state, event, '"usageMetadata"');
  const at = event.data.lastIndexOf('"finishReason"', event.dataEnd);
  if (at >= event.dataStart) state.isFinished = true;
}

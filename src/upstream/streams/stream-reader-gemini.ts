// Reads one element of a streamGenerateContent stream, whether it came as an event or in an array. Each one
// is a whole response with candidates, usually with the usage so far. The format has no mark of its end: a
// finish reason (or the reason why the prompt was blocked) and then the end of the stream are a good end.

import type { StreamEvent } from './stream-reader-event.ts';
import {
  type EventReader,
  noteContent,
  noteError,
  noteUsageAtEnd,
  type StreamState,
} from './stream-reader-state.ts';
import { GEMINI_COUNTS, GEMINI_KEYS, raise } from './usage-reader-counts.ts';

/** Where the keys of a part stand: response, candidates, candidate, content, parts, part. */
const PART_DEPTH = 6;

/** The length of `promptTokenCount`, the shortest of the keys that are counted. */
const MIN_COUNT = 16;

const CONTENT_PARTS = ['functionCall', 'inlineData', 'executableCode', 'codeExecutionResult'];

export const readGeminiEvent: EventReader = (state, event) => {
  if (!event.isWhole) return readOversized(state, event);
  const { keys } = state;
  keys.start(event.data, event.dataStart, event.dataEnd);
  while (keys.next()) {
    if (keys.depth === PART_DEPTH) readPartKey(state);
    else if (keys.depth === 1) readTopKey(state, event);
    else if (keys.depth === 2 && !keys.isText() && keys.keyLength >= MIN_COUNT) readCount(state);
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
  // A picture's bytes say nothing about its tokens; a call's arguments do.
  const isMeasured = !keys.isKey('inlineData');
  const span = keys.takeValue();
  noteContent(state, span && isMeasured ? span.end - span.start : 0);
}

function readTopKey(state: StreamState, event: StreamEvent): void {
  const { keys } = state;
  if (keys.isKey('error') && keys.isSomething())
    noteError(state, event.data, event.dataStart, event.dataEnd);
}

/** Every element repeats the usage, so its counts are read one by one where they stand. */
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

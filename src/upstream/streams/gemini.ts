// Reads one element of a streamGenerateContent stream, from an event or an array. Each element is a whole response with
// candidates, usually with the usage so far. The format has no end marker: a finish reason (or the reason why the prompt
// was blocked) followed by the end of the stream is a clean end.

import { LIST_MEMBER_DEPTH } from '../json/error-member.ts';
import type { StreamEvent } from './event.ts';
import { addSearches, isQueryList } from './search-queries.ts';
import {
  type EventReader,
  noteContent,
  noteError,
  noteErrorAtEnd,
  noteErrorMember,
  noteFinish,
  noteStatedFailure,
  noteUsageAtEnd,
  type StreamState,
} from './state.ts';
import { GEMINI_COUNTS, GEMINI_KEYS, GEMINI_TIER_KEYS, raise } from './usage-counts.ts';
import { addGeminiDetails, addGeminiTier, OUTPUT_DETAILS, showInlineData } from './usage-extras.ts';

/** The nesting of a part's keys: response, candidates, candidate, content, parts, part. */
const PART_DEPTH = 6;

/** The length of `totalTokenCount`, the shortest of the usage keys. */
const MIN_COUNT_KEY_BYTES = 15;

const CONTENT_PARTS = ['functionCall', 'inlineData', 'executableCode', 'codeExecutionResult'];

export const readGeminiEvent: EventReader = (state, event) => {
  if (!event.isWhole) return readOversized(state, event);
  const { keys } = state;
  let listsQueries = false;
  let hasCandidates = false;
  keys.start(event.data, event.dataStart, event.dataEnd);
  while (keys.next()) {
    if (keys.depth === PART_DEPTH) readPartKey(state);
    else if (keys.depth === 1) {
      if (keys.isKey('candidates')) hasCandidates = true;
      else readTopKey(state, event);
    } else if (keys.depth === 2 && !keys.isText() && keys.keyLength >= MIN_COUNT_KEY_BYTES) {
      if (keys.isList()) readDetails(state);
      else readCount(state);
    } else if (keys.depth === LIST_MEMBER_DEPTH && keys.isKey('error') && keys.isSomething())
      noteErrorMember(state, event.data);
    else if (keys.isText() && (keys.isKey('finishReason') || keys.isKey('blockReason')))
      readFinish(state, event);
    else if (keys.depth === 2 && GEMINI_TIER_KEYS.some((name) => keys.isKey(name)))
      addGeminiTier(state.counts, keys.textValue());
    else if (isQueryList(keys)) listsQueries = true;
  }
  if (!hasCandidates) noteStatedFailure(state, event);
  if (!listsQueries) return;
  state.queries ??= new Set();
  addSearches(state.counts, state.queries, event.data, event.dataStart, event.dataEnd);
};

function readFinish(state: StreamState, event: StreamEvent): void {
  state.isFinished = true;
  noteFinish(state, event);
}

function readPartKey(state: StreamState): void {
  const { keys } = state;
  if (keys.isKey('text')) {
    const bytes = keys.textBytes();
    state.answeredBefore = state.status.answerBegan;
    if (bytes > 0) noteContent(state, bytes);
    return;
  }
  // A part's text precedes the mark that it is a thought.
  if (keys.isKey('thought') && keys.isSomething()) {
    state.status.answerBegan = state.answeredBefore;
    return;
  }
  if (!CONTENT_PARTS.some((name) => keys.isKey(name))) return;
  // An image's bytes do not correlate with its tokens; a call's arguments do.
  const isInline = keys.isKey('inlineData');
  const span = keys.takeValue();
  noteContent(state, span && !isInline ? span.end - span.start : 0);
  if (span && isInline) showInlineData(state.counts, keys.bytes.subarray(span.start, span.end));
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

/** Tokens by modality; text alone needs no reading. */
function readDetails(state: StreamState): void {
  const { keys } = state;
  const name = DETAILS.find((key) => keys.isKey(key));
  const isEmpty = keys.isEmptyList();
  const span = name === undefined ? undefined : keys.takeValue();
  if (name === undefined || !span) return;
  if (name === OUTPUT_DETAILS && !isEmpty) state.counts.hasOutputDetails = true;
  const list = keys.bytes.toString('utf8', span.start, span.end);
  if (!MEDIA.some((modality) => list.includes(modality))) return;
  addGeminiDetails(state.counts, { [name]: parsedList(list) });
}

const DETAILS = [
  'promptTokensDetails',
  'toolUsePromptTokensDetails',
  'cacheTokensDetails',
  OUTPUT_DETAILS,
];

const MEDIA = ['"AUDIO"', '"IMAGE"', '"DOCUMENT"', '"VIDEO"'];

function parsedList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readOversized(state: StreamState, event: StreamEvent): void {
  noteContent(state, 0);
  // An image is longer than the buffer; the type of its data is in the beginning or the end, which are left.
  showInlineData(state.counts, event.data.subarray(event.dataStart, event.dataEnd));
  noteErrorAtEnd(state, event);
  noteUsageAtEnd(state, event, 'usageMetadata', 1);
  const at = event.data.lastIndexOf('"finishReason"', event.dataEnd);
  if (at >= event.dataStart) state.isFinished = true;
}

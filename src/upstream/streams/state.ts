// The state of one stream, shared by the readers of the three formats. The status is one object for the whole stream, so
// a chunk that only carries text allocates nothing.

import { isRefusal } from '../../errors/mapping/meaning/structured-names.ts';
import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { containsError, errorMember } from '../json/error-member.ts';
import { type JsonSpan, readObject } from '../json/peek-fields.ts';
import { endOfValue } from '../json/scan.ts';
import { JsonKeys } from '../json/walk-keys.ts';
import type { StreamEvent } from './event.ts';
import { statesFailure } from './failure-text.ts';
import { findTailKey } from './tail-key.ts';
import { addCounts, emptyCounts, type RawCounts } from './usage-counts.ts';

export type StreamStatus = {
  /** The stream has delivered text, thinking, a tool call or a refusal; stays true. */
  contentBegan: boolean;
  /** The stream has delivered content other than thinking; stays true. */
  answerBegan: boolean;
  /** The latest chunk contained content; the idle clock starts again at each such chunk. */
  broughtContent: boolean;
  /** The format's own end marker has arrived. */
  terminal: boolean;
  /** The provider's error, as JSON with an `error` object in it; a copy. */
  error: Buffer | undefined;
  /** An event was too large to be read whole; the reader has read its beginning and its end. */
  oversized: boolean;
  /** Bytes at the end of the input that belong to an incomplete event. */
  pendingBytes: number;
  /** Text outside of any event, such as a proxy's page: none of it may reach the caller. Bounded; a copy. */
  foreign: Buffer | undefined;
  /** Where the end marker's event ends, as a position in the stream; undefined where the splitter does not count. */
  terminalEnd: number | undefined;
  /** The bytes of a Chat Completions event that carries the usage and no choice, as positions in the stream. */
  usageEvent: { readonly start: number; readonly end: number } | undefined;
  /** Lines, or elements of an array, since the latest content: comments and keep-alives. */
  idleLines: number;
};

export type StreamState = {
  readonly format: ProviderFormat;
  readonly status: StreamStatus;
  readonly counts: RawCounts;
  readonly keys: JsonKeys;
  outputBytes: number;
  /** Whether an answer had begun before the latest text of a Gemini part, which may turn out to be a thought. */
  answeredBefore: boolean;
  /** A finish reason has arrived: the stream may end without an end marker. */
  isFinished: boolean;
  /** The chunk of a chat that refuses, until its usage has arrived; a copy. */
  refusal: Buffer | undefined;
  /** The search queries that Gemini's stream has listed; undefined until it lists one. */
  queries: Set<string> | undefined;
};

export type EventReader = (state: StreamState, event: StreamEvent) => void;

export function newStreamState(format: ProviderFormat): StreamState {
  return {
    format,
    status: {
      contentBegan: false,
      answerBegan: false,
      broughtContent: false,
      terminal: false,
      error: undefined,
      oversized: false,
      pendingBytes: 0,
      foreign: undefined,
      terminalEnd: undefined,
      usageEvent: undefined,
      idleLines: 0,
    },
    counts: emptyCounts(),
    keys: new JsonKeys(),
    outputBytes: 0,
    answeredBefore: false,
    isFinished: false,
    refusal: undefined,
    queries: undefined,
  };
}

export function noteContent(state: StreamState, bytes: number): void {
  noteThinking(state, bytes);
  state.status.answerBegan = true;
}

/** Thinking is content but not an answer: a refusal may still follow. */
export function noteThinking(state: StreamState, bytes: number): void {
  state.outputBytes += bytes;
  state.status.broughtContent = true;
  state.status.contentBegan = true;
}

/**
 * The walker is at the reason why the stream ends. A refusal in place of an answer is an error of the provider, with and
 * without thinking before it; after an answer it is that answer's end.
 */
export function noteFinish(state: StreamState, event: StreamEvent): void {
  if (isRefusedFinish(state)) noteError(state, event.data, event.dataStart, event.dataEnd);
}

export function isRefusedFinish({ status, keys }: StreamState): boolean {
  if (status.answerBegan) return false;
  const reason = keys.textValue();
  return reason !== undefined && isRefusal(reason);
}

/** Copies, because the splitter reuses the event's buffer. A stream has one error: the first. */
export function noteError(state: StreamState, bytes: Buffer, start: number, end: number): void {
  state.status.error ??= Buffer.from(bytes.subarray(start, end));
}

/** The walker is at an `error` key inside a choice or candidate, next to content that is not part of the error. */
export function noteErrorMember(state: StreamState, bytes: Buffer): void {
  state.status.error ??= errorMember(state.keys, bytes);
}

/** Checks an event without any known field of its format. */
export function noteStatedFailure(state: StreamState, event: StreamEvent): void {
  const { data, dataStart, dataEnd } = event;
  if (event.isWhole && statesFailure(state.keys, data, dataStart, dataEnd))
    noteError(state, data, dataStart, dataEnd);
}

/** An event that lost its middle may be an error with its fields at the end. */
export function noteErrorAtEnd(state: StreamState, event: StreamEvent): void {
  const tail = event.data.subarray(event.dataStart, event.dataEnd);
  if (containsError(tail)) noteError(state, tail, tail.lastIndexOf('"error"'), tail.length);
}

/** The error mapper reads at most this much. */
const MAX_FOREIGN_BYTES = 8 * 1024;

export function noteForeign(
  { status }: StreamState,
  bytes: Buffer,
  start: number,
  end: number,
): void {
  // Behind the end marker nothing is relayed, so nothing there matters.
  if (status.terminal) return;
  const before = status.foreign ?? NO_BYTES;
  if (before.length >= MAX_FOREIGN_BYTES) return;
  const line = bytes.subarray(start, Math.min(end, start + MAX_FOREIGN_BYTES));
  status.foreign = Buffer.concat([before, line, LINE_FEED]);
}

const NO_BYTES = Buffer.alloc(0);
const LINE_FEED = Buffer.from('\n');

export function noteUsage(state: StreamState, bytes: Buffer, span: JsonSpan | undefined): void {
  const usage = readObject(bytes, span);
  if (usage) addCounts(state.format, state.counts, usage);
}

/** Finds the usage in an event that lost its middle: providers write it near the end. `depth` is that of its key. */
export function noteUsageAtEnd(
  state: StreamState,
  event: StreamEvent,
  name: string,
  depth: number,
): void {
  const { data, dataStart, dataEnd } = event;
  const start = findTailKey(data, dataStart, dataEnd, name, depth);
  const end = start < 0 ? -1 : endOfValue(data, start);
  if (end > 0 && end <= dataEnd) noteUsage(state, data, { start, end });
}

const LF = 0x0a;

/**
 * True when one line of an event with several data lines is an error, which it notes. No supported provider sends such
 * events, so most likely two events ran into each other: a cut one, and the error that cut it. The joined lines are not
 * JSON, and the format's reader would see only the beginning of the first, so each line is checked by itself.
 */
export function noteJoinedError(state: StreamState, event: StreamEvent): boolean {
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
  return statesFailure(keys, bytes, start, end);
}

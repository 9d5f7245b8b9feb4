// Reads one event of OpenAI's two stream formats. Chat Completions: unnamed chunks and `[DONE]`. The Responses API: named
// events, all beginning with `response.` except `error`. Each event identifies its format. Compatible providers deviate,
// so a finish reason also counts as a clean end, and reasoning is recognised under its other names.

import { LIST_MEMBER_DEPTH } from '../json/error-member.ts';
import { bytesEqual } from '../json/scan.ts';
import { JsonKeys } from '../json/walk-keys.ts';
import type { StreamEvent } from './event.ts';
import { readResponsesEvent } from './responses.ts';
import {
  type EventReader,
  isRefusedFinish,
  noteContent,
  noteError,
  noteErrorAtEnd,
  noteErrorMember,
  noteStatedFailure,
  noteThinking,
  noteUsage,
  noteUsageAtEnd,
  type StreamState,
} from './state.ts';
import { addTier } from './usage-extras.ts';

export const readOpenaiEvent: EventReader = (state, event) => {
  if (isResponsesName(event))
    return readResponsesEvent(state, event, event.name, event.nameStart, event.nameEnd);
  if (bytesEqual(event.data, event.dataStart, event.dataEnd, '[DONE]'))
    state.status.terminal = true;
  else if (event.isWhole) readChunk(state, event);
  else readOversizedChunk(state, event);
  if (state.refusal && (state.status.terminal || state.counts.outputReports > 0))
    endRefusal(state, state.refusal);
};

/** A chat reports its usage after the refusal. The refusal of one choice is not an error if another choice answers. */
export function endRefusal({ status }: StreamState, refusal: Buffer): void {
  if (!status.answerBegan) status.error ??= refusal;
}

/** Some compatible providers name their Chat Completions events too, with names of their own. */
function isResponsesName({ name, nameStart, nameEnd }: StreamEvent): boolean {
  if (nameEnd === nameStart) return false;
  if (bytesEqual(name, nameStart, nameEnd, 'error')) return true;
  return bytesEqual(name, nameStart, Math.min(nameStart + 9, nameEnd), 'response.');
}

function readChunk(state: StreamState, event: StreamEvent): void {
  const { keys } = state;
  keys.start(event.data, event.dataStart, event.dataEnd);
  let hasUsage = false;
  let hasNoChoice = false;
  let hasChoices = false;
  while (keys.next()) {
    if (keys.depth === 1) {
      if (keys.keyLength === 5 && keys.isKey('usage') && keys.isObject()) hasUsage = true;
      else if (keys.keyLength === 7 && keys.isKey('choices')) {
        hasChoices = true;
        hasNoChoice = keys.isEmptyList();
      }
    }
    if (keys.depth === 1 && keys.keyLength === 4 && keys.isKey('type') && keys.isText())
      return readResponsesEvent(state, event, keys.bytes, keys.valueStart + 1, keys.valueEnd);
    readKey(state, event);
  }
  if (!hasChoices) noteStatedFailure(state, event);
  if (hasUsage && hasNoChoice) state.status.usageEvent = { start: event.start, end: event.end };
}

/** Compares the length first: most keys of a chunk are irrelevant. */
function readKey(state: StreamState, event: StreamEvent): void {
  const { keys } = state;
  switch (keys.keyLength) {
    case 4:
      if (keys.depth >= 5 && keys.isKey('name')) noteText(state);
      else if (keys.depth === 3 && keys.isKey('text')) noteText(state);
      return;
    case 5:
      // Moonshot reports the usage within the last choice.
      if ((keys.depth === 1 || keys.depth === 3) && keys.isKey('usage') && keys.isObject())
        noteUsage(state, keys.bytes, keys.takeValue());
      // The input of a custom tool: its calls have no arguments.
      else if (keys.depth === CALL_DEPTH && keys.isKey('input')) noteText(state);
      else if (keys.depth === 1 && keys.isKey('error') && keys.isSomething())
        noteError(state, event.data, event.dataStart, event.dataEnd);
      else if (keys.depth === LIST_MEMBER_DEPTH && keys.isKey('error') && keys.isSomething())
        noteErrorMember(state, event.data);
      return;
    case 7:
      if (keys.depth !== 4) return;
      if (keys.isKey('content') && keys.isList()) noteParts(state);
      else if (keys.isKey('content') || keys.isKey('refusal')) noteText(state);
      return;
    case 9:
      if (keys.isKey('arguments')) noteText(state);
      else if (keys.depth === 4 && keys.isKey('reasoning')) noteReasoning(state);
      return;
    case 10:
      if (keys.depth === 5 && keys.isKey('transcript')) noteText(state);
      return;
    case 12:
      if (keys.depth === 1 && keys.isKey('service_tier')) noteTier(state);
      return;
    case 13:
      if (!keys.isKey('finish_reason') || !keys.isText()) return;
      state.isFinished = true;
      readFinish(state, event);
      return;
    case 17:
      if (keys.depth === 4 && keys.isKey('reasoning_content')) noteReasoning(state);
      return;
    default:
  }
}

/** A refusal waits for its usage, with and without thinking before it. */
function readFinish(state: StreamState, event: StreamEvent): void {
  if (isRefusedFinish(state))
    state.refusal ??= Buffer.from(event.data.subarray(event.dataStart, event.dataEnd));
}

/** Every chunk repeats the tier; the standard one is recognised without decoding. */
function noteTier({ keys, counts }: StreamState): void {
  if (!keys.isText()) return;
  addTier(counts, 'service_tier', keys.isTextValue('default') ? 'default' : keys.textValue());
}

function noteText(state: StreamState): void {
  const bytes = state.keys.textBytes();
  if (bytes > 0) noteContent(state, bytes);
}

/** Mistral's content is a list of parts where the model thinks. The text of an answer is a field of its part; that of a thought is nested deeper. */
function noteParts(state: StreamState): void {
  const span = state.keys.takeValue();
  if (!span) return;
  const parts = new JsonKeys();
  parts.start(state.keys.bytes, span.start, span.end);
  while (parts.next()) {
    const bytes = parts.isKey('text') ? parts.textBytes() : 0;
    if (bytes > 0) (parts.depth === TEXT_PART_DEPTH ? noteContent : noteThinking)(state, bytes);
  }
}

/** The depth of the keys of `content[i]`, from the list on. */
const TEXT_PART_DEPTH = 2;
/** The depth of the keys of `choices[i].delta.tool_calls[i].custom`. */
const CALL_DEPTH = 7;

function noteReasoning(state: StreamState): void {
  const bytes = state.keys.textBytes();
  if (bytes > 0) noteThinking(state, bytes);
}

function readOversizedChunk(state: StreamState, event: StreamEvent): void {
  noteContent(state, event.dataEnd - event.dataStart);
  noteErrorAtEnd(state, event);
  noteUsageAtEnd(state, event, 'usage', 1);
}

// What is known of a stream so far, shared by the readers of the three formats. The signs are one object
// for the whole stream: nothing is allocated for a chunk that only carries text.

import type { ProviderFormat } from '../../kernel/provider-format.ts';
import { type JsonSpan, readObject } from '../json/peek-json.ts';
import { endOfValue, skipSpace } from '../json/peek-json-scan.ts';
import type { StreamEvent } from './stream-reader-event.ts';
import { JsonKeys } from './stream-reader-keys.ts';
import { addCounts, emptyCounts, type RawCounts } from './usage-reader-counts.ts';

export type StreamSigns = {
  /** Text, thinking, a tool call or a refusal has come; stays true. */
  contentBegan: boolean;
  /** The chunk just pushed brought some; this is what the idle clock waits for. */
  broughtContent: boolean;
  /** The format's own mark of a good end has come. */
  terminal: boolean;
  /** The provider's error, as JSON with an `error` object in it; a copy. */
  error: Buffer | undefined;
  /** An event was too large to be read whole; what was kept of it has been read. */
  oversized: boolean;
  /** Bytes at the end of what was pushed that belong to an event that is not complete. */
  pendingBytes: number;
};

export type StreamState = {
  readonly format: ProviderFormat;
  readonly signs: StreamSigns;
  readonly counts: RawCounts;
  readonly keys: JsonKeys;
  outputBytes: number;
  /** A finish reason has come: the stream may end now even without a mark. */
  isFinished: boolean;
};

export type EventReader = (state: StreamState, event: StreamEvent) => void;

export function newStreamState(format: ProviderFormat): StreamState {
  return {
    format,
    signs: {
      contentBegan: false,
      broughtContent: false,
      terminal: false,
      error: undefined,
      oversized: false,
      pendingBytes: 0,
    },
    counts: emptyCounts(),
    keys: new JsonKeys(),
    outputBytes: 0,
    isFinished: false,
  };
}

export function noteContent(state: StreamState, bytes: number): void {
  state.outputBytes += bytes;
  state.signs.broughtContent = true;
  state.signs.contentBegan = true;
}

/** Copies, because the event's buffer is reused; an error comes once in a stream. */
export function noteError(state: StreamState, bytes: Buffer, start: number, end: number): void {
  state.signs.error ??= Buffer.from(bytes.subarray(start, end));
}

export function noteUsage(state: StreamState, bytes: Buffer, span: JsonSpan | undefined): void {
  const usage = readObject(bytes, span);
  if (usage) addCounts(state.format, state.counts, usage);
}

/** Finds the usage in what is left of an event without its middle: providers put it near the end. */
export function noteUsageAtEnd(state: StreamState, event: StreamEvent, key: string): void {
  const { data, dataEnd } = event;
  const at = data.lastIndexOf(key, dataEnd);
  if (at < event.dataStart) return;
  const start = skipSpace(data, skipSpace(data, at + key.length) + 1);
  const end = endOfValue(data, start);
  if (end > 0 && end <= dataEnd) noteUsage(state, data, { start, end });
}

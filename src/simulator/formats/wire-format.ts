// A format serializes an answer for one provider, unary or as stream events.

import type { Answer } from '../answers.ts';
import type { ModelRequest } from '../model-request.ts';
import type { Piece } from '../scenario/chunks.ts';

export type StreamEvent = {
  /** The name of the server-sent event, if the provider sets one. */
  readonly name?: string | undefined;
  readonly data: string;
  /** Bytes of content in this event; 0 for events around the content. */
  readonly contentBytes: number;
  /** The content has ended; the remaining events carry the stop reason and the usage. */
  readonly isClosing?: boolean;
};

export type WireFormat = {
  unary(answer: Answer): unknown;
  events(
    answer: Answer,
    pieces: Iterable<Piece>,
    request: ModelRequest,
  ): Generator<StreamEvent, void>;
};

/** An event around the content. */
export function plainEvent(data: unknown, name?: string): StreamEvent {
  return { name, data: JSON.stringify(data), contentBytes: 0 };
}

export function closingEvent(data: unknown, name?: string): StreamEvent {
  return { name, data: JSON.stringify(data), contentBytes: 0, isClosing: true };
}

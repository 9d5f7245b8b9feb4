// What a format knows: how one provider writes an answer, whole or as the events of a stream.

import type { Answer } from '../answers.ts';
import type { Ask } from '../ask.ts';
import type { Piece } from '../scenario/pieces.ts';

export type StreamEvent = {
  /** The name of the server-sent event, where the provider gives one. */
  readonly name?: string | undefined;
  readonly data: string;
  /** Bytes of content that this event delivers; 0 for the events around the content. */
  readonly contentBytes: number;
  /** The content is over: what follows tells why it stopped and what it cost. */
  readonly isClosing?: boolean;
};

export type WireFormat = {
  unary(answer: Answer): unknown;
  events(answer: Answer, pieces: Iterable<Piece>, ask: Ask): Generator<StreamEvent, void>;
};

/** An event around the content. */
export function plainEvent(data: unknown, name?: string): StreamEvent {
  return { name, data: JSON.stringify(data), contentBytes: 0 };
}

export function closingEvent(data: unknown, name?: string): StreamEvent {
  return { name, data: JSON.stringify(data), contentBytes: 0, isClosing: true };
}

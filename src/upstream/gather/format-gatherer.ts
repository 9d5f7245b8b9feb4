// The interface of the four format assemblers: each takes the stream's parsed events in order and gives the text so far
// and, at the end, the whole response. It ignores events that it does not know.

import type { Fields } from './join-fields.ts';

export type FormatGatherer = {
  /** `kind` is the event's `type`, else its name. */
  read(event: Readonly<Record<string, unknown>>, kind: string): void;
  /** The text so far; only ever appended to. */
  text(): string;
  /** Undefined when the stream contained no response. */
  answer(): Fields | undefined;
};

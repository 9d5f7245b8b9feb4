// What one format knows of gathering a stream: it is shown the stream's events one by one, parsed, and can tell the words
// so far and, at the end, the whole answer. It knows nothing of bytes, and passes over what it does not understand.

import type { Fields } from './gather-stream-join.ts';

export type FormatGatherer = {
  /** `kind` is the event's type, or else its name. */
  read(event: Readonly<Record<string, unknown>>, kind: string): void;
  /** The words so far; grows at its end alone. */
  text(): string;
  /** Undefined when nothing came that makes an answer. */
  answer(): Fields | undefined;
};

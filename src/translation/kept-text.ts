// The text of a part that a reader keeps until the part ends. Only Responses repeats it there. The other formats need the
// arguments of a tool call, and whether a part had a text at all; the whole text of hundreds of long streams would fill the
// memory.

import type { StartedPart } from './neutral-answer.ts';

/** The text to keep after one more piece of it. */
export type KeepText = (kept: string, piece: string, kind: StartedPart['kind']) => string;

export const keepWholeText: KeepText = (kept, piece) => kept + piece;

export const keepFirstText: KeepText = (kept, piece, kind) =>
  kept === '' || kind === 'tool_call' ? kept + piece : kept;
